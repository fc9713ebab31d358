# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::PairMatrixTest < Minitest::Test
  # A page as far as the matrix asks it.
  class Shown
    include Holdup::Report::PairMatrix

    public :matrix

    attr_reader :summary

    def initialize(pairs)
      sample = SampleWindows.new
      @words = Holdup::View::Words.new
      @summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
        pairs: pairs ? sample.pairs : [])
    end

    def query = Struct.new(:limit).new(2)

    def unit_link(party) = Holdup::View::Blocks::Link.new(text: party.name, page: "unit")
  end

  def test_has_as_many_rows_as_the_page_and_leads_to_their_pages
    found = Shown.new(true).matrix
    assert_equal "Who waited (rows) while whom held the GVL (columns)", found.title
    assert_equal 2, found.rows.size
    assert_equal %w[unit unit], found.rows.map { |row| row.first.page }
    assert_equal 3, Shown.new(true).matrix(limit: 3).rows.size
  end

  def test_is_narrower_beside_a_chart
    wide, brief = [false, true].map { |brief| Shown.new(true).matrix(brief:) }
    assert_operator brief.columns.size, :<, wide.columns.size
    assert_empty brief.notes
  end

  def test_is_nothing_without_pairs
    assert_nil Shown.new(false).matrix
  end
end
