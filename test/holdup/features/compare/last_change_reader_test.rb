# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::LastChangeReaderTest < Minitest::Test
  START_S = SampleWindows::START_S
  UNITS = {"A#fast" => {ms: {cpu: 4}, acquisitions: 6, units: 30, blame: 1}}.freeze

  # @param settings [Hash{Integer => Array(Integer, Integer)}] threads => first minute, minutes
  def around(settings, from: 0, to: 120)
    with_store(settings) do |store|
      span = {from_s: START_S + (60 * from), to_s: START_S + (60 * to)}
      found = Holdup::Compare::LastChangeReader.call(store, **span, filter: Holdup::Analysis::UnitFilter.new)
      found&.map { |spans| spans.map { |second| (second - START_S) / 60 } }
    end
  end

  def with_store(settings)
    store = Holdup::Store.open("memory:")
    settings.each do |threads, (first, minutes)|
      setting = SampleWindows::SETTING.merge("threads" => threads)
      windows = SampleWindows.new(units: UNITS, minutes:, setting:).to_a
      store.commit(windows.map { |window| window.with(start_s: window.start_s + (60 * first)) }, {})
    end
    yield store
  ensure
    store&.close
  end

  def test_as_much_before_as_after
    assert_equal [[6, 10], [10, 14]], around({5 => [0, 10], 3 => [10, 4]})
    assert_equal [[6, 10], [10, 14]], around({5 => [6, 4], 3 => [10, 40]})
  end

  def test_without_an_earlier_change
    assert_equal [[10, 14], [14, 18]], around({5 => [0, 10], 3 => [10, 4], 4 => [14, 30]})
  end

  def test_nothing_without_a_change
    assert_nil around({5 => [0, 10]})
    assert_nil around({})
  end
end
