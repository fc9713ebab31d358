# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::SlowestUnitsReaderTest < Minitest::Test
  include ExampleUnits

  Reader = Holdup::Report::SlowestUnitsReader
  BLOCK_S = Holdup::SampleBlock::SECONDS

  # @param blocks [Hash{Integer => Array<String>}] names by the number of their ten minutes
  def store(blocks)
    blocks = blocks.map do |number, names|
      start_s = START_S + number * BLOCK_S
      units = names.each_with_index.map { |name, at| unit_sample(number * BLOCK_S * 1000 + at, name:) }
      block(units, start_s:)
    end
    Holdup::Store.open("memory:").tap { |store| store.commit([], {}, unit_samples: blocks) }
  end

  def read(store, name: nil, to_s: START_S + 200 * BLOCK_S)
    Reader.call(store, from_s: START_S, to_s:, filter: Holdup::Analysis::UnitFilter.new(name:))
  end

  def test_all_of_a_short_span
    found = read(store({0 => %w[A B], 1 => %w[A]}))
    assert_equal %w[A A B], found.unit_samples.map { |unit| unit.series.name }.sort
    assert_equal [2, 2], [found.periods, found.all]
    refute_predicate found, :part?
  end

  # Reading all of a month takes too long.
  def test_some_periods_of_a_long_span
    found = read(store((0...20).to_h { |number| [number, %w[A]] }))
    assert_equal [5, 20], [found.periods, found.all]
    assert_predicate found, :part?
    assert_equal found.periods, found.unit_samples.size, "one of each of them"
  end

  def test_more_periods_where_the_first_have_none_that_is_wanted
    blocks = (0...20).to_h { |number| [number, %w[A]] }
    found = read(store(blocks.merge(7 => %w[A Rare])), name: "Rare")
    assert_equal 20, found.periods
    assert_equal %w[Rare], found.unit_samples.map { |unit| unit.series.name }
  end

  def test_an_empty_span_has_none
    found = read(store({}))
    assert_empty found.unit_samples
    assert_equal 0, found.all
    assert_empty read(store({0 => %w[A]}), to_s: START_S).unit_samples
  end
end
