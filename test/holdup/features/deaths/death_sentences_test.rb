# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_deaths"

class Holdup::Deaths::DeathSentencesTest < Minitest::Test
  include ExampleDeaths

  def sentences(death) = Holdup::Deaths::DeathSentences.new(death, words: Holdup::View::Words.new("en"))

  def reason(*facts)
    reason, status = facts
    sentences(death(reason:, status:)).reason
  end

  def test_says_how_it_died
    assert_equal "the kernel killed it, because its container had no memory left", reason(:oom, 9)
    assert_equal "it was ended by SIGSEGV", reason(:signal, 11)
    assert_equal "it was ended by 63", reason(:signal, 63)
    assert_equal "it left with status 3 without ending its work", reason(:exit, 3)
    assert_equal "its server killed it, because it did not answer in time", reason(:timeout)
    assert_equal "a worker killer ended it", reason(:killer)
    assert_equal "it is gone, and nothing says how it ended", reason(:gone)
  end

  def test_says_who_held_the_gvl_and_what_the_others_waited_for
    said = sentences(hogged_death)
    assert_operator said.holder, :start_with?,
      "pid 4711: ReportsController#sales holds the GVL for 41.2 s, last seen at sales_report.rb:30"
    assert_equal %w[ReportsController#sales OrdersController#index], said.rows.map { |row| said.name(row) }
    assert_match(/waits for the GVL for 1\.20 s, held by ReportsController#sales/, said.state(said.rows.last))
  end

  def test_suspects_who_held_the_gvl_or_ran_for_longest
    assert_equal "ReportsController#sales (42.0 s)", sentences(hogged_death).suspect
    longest = death(open_process(open_unit("A#b", elapsed_s: 2), open_unit("C#d", elapsed_s: 3)))
    assert_equal "C#d (3.00 s)", sentences(longest).suspect
    assert_equal "-", sentences(death).suspect
  end

  def test_a_process_of_which_little_is_known
    said = sentences(death(server: nil))
    assert_equal ["pid 4711", nil, []], [said.process, said.holder, said.rows]
  end
end
