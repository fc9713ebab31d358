# frozen_string_literal: true

require "test_helper"
require "delegate"
require "holdup/loader"

class Holdup::Store::RollupTest < Minitest::Test
  include SampleMinutes

  # Rows that stop after so many spans, as a killed collector does.
  class Interrupted < SimpleDelegator
    def initialize(rows, spans)
      super(rows)
      @left = spans
    end

    def transaction(&)
      ((@left -= 1) < 0) ? raise(Interrupt) : __getobj__.transaction(&)
    end
  end

  def setup
    @rows = window_rows
    @rows.merge(Array.new(120) { |i| minute(i) })
  end

  def test_an_interrupted_roll_up_goes_on_where_it_stopped
    now_s = SampleMinutes::MINUTE_START + 86_400 * 2
    6.times do |spans|
      interrupted = Holdup::Store::Tier::Rollup.new(Interrupted.new(@rows, spans))
      assert_raises(Interrupt) { interrupted.run(now_s) }
    end
    Holdup::Store::Tier::Rollup.new(@rows).run(now_s)

    assert_equal [[24, 120], [2, 120], [1, 120]], [300, 3600, 86_400].map { |seconds| coarse(seconds) }
  end

  def test_a_span_waits_until_its_last_minute_had_time_to_come_in
    Holdup::Store::Tier::Rollup.new(@rows).run(SampleMinutes::MINUTE_START + 300 + 119)
    assert_equal [0, 0], coarse(300)

    Holdup::Store::Tier::Rollup.new(@rows).run(SampleMinutes::MINUTE_START + 300 + 120)
    assert_equal [1, 5], coarse(300)
  end

  def test_a_store_without_rows_is_left_alone
    assert_equal 0, Holdup::Store::Tier::Rollup.new(window_rows).run(SampleMinutes::MINUTE_START)
  end

  def test_a_longer_window_is_the_sum_of_its_minutes
    minutes = Array.new(30) { |i| minute(i, values: [1_000 * i + 1, 7_000_000]) }
    minutes += Array.new(30) { |i| minute(i, name: "B", values: []) }
    store = Holdup::Store.open("memory:")
    store.commit(minutes, {})
    store.rollup(SampleMinutes::MINUTE_START + 86_400 * 2)

    by_window = minutes.group_by { |one| [one.series, one.start_s / 300 * 300] }
    expected = by_window.map { |(_, start_s), same| Holdup::Window.sum(same).with(start_s:, seconds: 300) }
    assert_equal 12, expected.size
    assert_equal expected.to_set, store.windows(0, SampleMinutes::MINUTE_START * 2, seconds: 300).to_set
  end

  private

  def coarse(seconds)
    windows = all_windows(@rows, seconds)
    [windows.size, windows.sum(&:count)]
  end
end
