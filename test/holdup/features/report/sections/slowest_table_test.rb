# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::SlowestTableTest < Minitest::Test
  include ExampleUnits

  Query = Holdup::Queries::SlowestUnitsQuery

  def section(*slow_units, kept_from_s: START_S, whole: true)
    units = slow_units.map do |slow|
      Query::ExplainedUnit.new(slow:, chain: Holdup::Analysis::WaitChain.of(slow, []))
    end
    slowest = Query::KeptUnits.new(units:, from_s: kept_from_s, whole:)
    summary = Holdup::Analysis::Summary.new([], from_s: START_S, to_s: START_S + 600, slowest:)
    Holdup::Report::Sections::SlowestTable.new(summary, words: Holdup::View::Words.new, limit: 5).call
  end

  def test_each_has_a_row_and_the_slow_ones_a_chain
    slow = slow_unit(0, stalled_ns: 90 * MS, parts: [[:pair, "Sales#report", 80 * MS]])
    found = section(slow, slow_unit(1))
    assert_equal ["A#b", "118 ms"], found.rows.first.values_at(0, 2)
    assert_equal 2, found.rows.size
    assert_includes found.notes.first, "Sales#report held it 80.0 ms"
    assert_equal 2, found.notes.size
    assert_includes found.notes.last, "none was slower"
  end

  def test_the_id_where_one_is_known
    refute_includes section(slow_unit(0)).columns, "id in logs"
    found = section(slow_unit(0, id: "7f3c"), slow_unit(1))
    assert_equal "id in logs", found.columns.last
    assert_equal ["7f3c", Holdup::View::Figures::NONE], found.rows.map(&:last)
  end

  # With an id from a log, the chain is found.
  def test_a_chain_has_the_id_where_one_is_known
    parts = [[:pair, "Sales#report", 80 * MS]]
    found = section(slow_unit(0, stalled_ns: 90 * MS, parts:, id: "7f3c"),
      slow_unit(1, stalled_ns: 90 * MS, parts:))
    assert_match(/, 118 ms \(7f3c\): Waited 90.0 ms for the GVL: Sales/, found.notes[0])
    assert_match(/, 118 ms: Waited 90.0 ms for the GVL: Sales/, found.notes[1])
  end

  def test_says_since_when_the_slowest_are_kept
    note = section(slow_unit(0), whole: false).notes.last
    assert_match(/are kept since 20.*\. Before that, slower ones may have existed/, note)
  end

  def test_there_is_none_without_a_unit
    assert_nil section(kept_from_s: nil)
  end
end
