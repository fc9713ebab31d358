# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::UnitSampleQueryTest < Minitest::Test
  DAY_S = 86_400

  # A store that has units of some ten minutes, and tells what of them is asked for.
  Kept = Data.define(:starts, :asked) do
    def profile_starts(from_s, to_s)
      starts.select { |start_s| start_s > from_s - 600 && start_s < to_s }
    end

    def profiles(from_s, to_s)
      starts.select { |start_s| start_s >= from_s && start_s < to_s }.tap { asked << [from_s, to_s] }
    end
  end

  def test_reads_evenly_spread_blocks_of_several_weeks
    store = kept((0...14 * DAY_S).step(600))
    found = Holdup::Queries::RecordedInterval::UnitSampleQuery.call(store, 0, 14 * DAY_S)

    assert_equal [72, [28 * 600]], [found.size, found.each_cons(2).map { |one, other| other - one }.uniq]
    assert_equal [600], store.asked.map { |from_s, to_s| to_s - from_s }.uniq
  end

  def test_reads_all_samples_of_a_long_span_with_few
    store = kept([3 * DAY_S, 3 * DAY_S + 600, 20 * DAY_S])
    assert_equal store.starts, Holdup::Queries::RecordedInterval::UnitSampleQuery.call(store, 0, 30 * DAY_S)
  end

  def test_nothing_outside_of_the_span_is_read
    store = kept((0...2 * DAY_S).step(600))
    Holdup::Queries::RecordedInterval::UnitSampleQuery.call(store, 100, DAY_S + 700)
    assert_equal [100, DAY_S + 700], [store.asked.flatten.min, [store.asked.flatten.max, DAY_S + 700].max]
  end

  private

  def kept(starts)
    Kept.new(starts: starts.to_a, asked: [])
  end
end
