# frozen_string_literal: true

require "test_helper"
require "delegate"
require "holdup/loader"

class Holdup::Store::RollupTest < Minitest::Test
  include SampleMinutes
  include TemporaryFolder

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
    @rows = Holdup::Store::Memory::WindowRows.new
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
    empty = Holdup::Store::Memory::WindowRows.new
    assert_equal 0, Holdup::Store::Tier::Rollup.new(empty).run(SampleMinutes::MINUTE_START)
  end

  # The database adds up what can be read, and all else is read row by row.
  def test_all_stores_roll_up_the_same
    sums = [Holdup::Store::Memory.new, Holdup::Store.open("sqlite://#{folder}/store.sqlite3")].map do |store|
      store.commit(Array.new(30) { |i| minute(i, values: [1_000 * i + 1, 7_000_000]) }, {})
      store.commit(Array.new(30) { |i| minute(i, name: "B", values: []) }, {})
      store.rollup(SampleMinutes::MINUTE_START + 86_400 * 2)
      windows = store.windows(0, SampleMinutes::MINUTE_START * 2, seconds: 300).to_a
      store.close
      windows.to_set
    end
    assert_equal 12, sums.first.size
    assert_equal(*sums)
  end

  private

  def coarse(seconds)
    windows = @rows.between(seconds, 0, SampleMinutes::MINUTE_START * 2)
    [windows.size, windows.sum(&:count)]
  end
end
