# frozen_string_literal: true

require "holdup/loader"

# A table of who waited and whom for, whatever the wait was for. Include it and define
#
# - `table`: the class of the section; `parts`: of the summary, what it needs
# - `summary`: with pairs; `rows`: of its table; `without`: summaries without waits or pairs; `calm`: one in
#   which nobody waits
module PairTableContract
  # @return [Holdup::View::Section, nil]
  def section(summary = self.summary, language: "en", limit: 10)
    table.new(summary, words: Holdup::View::Words.new(language), limit:).call
  end

  def test_each_pair_with_its_share_of_the_victims_waits
    assert_equal rows, section.rows
    assert_equal rows.size, section(language: "ja").rows.size
  end

  def test_the_longest_waits_when_there_are_more
    few = section(limit: 1)
    assert_equal rows.first(1), few.rows
    assert_match(/#{rows.size - 1}/, few.notes.first)
  end

  def test_nothing_without_waits_or_pairs
    without.each { |summary| assert_nil section(summary) }
  end

  def test_needs_the_pairs_only_where_some_wait
    assert_equal parts, table.parts(summary)
    assert_empty table.parts(calm)
  end
end
