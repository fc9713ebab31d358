# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::UnitSampleQueryTest < Minitest::Test
  DAY_S = 86_400

  # A store that has units of some ten minutes, and tells what of them is asked for.
  Kept = Data.define(:starts, :asked, :limits) do
    def unit_sample_starts(from_s, to_s)
      starts.select { |start_s| start_s > from_s - 600 && start_s < to_s }
    end

    def unit_samples(from_s, to_s, **most)
      limits << most
      starts.select { |start_s| start_s >= from_s && start_s < to_s }.tap { asked << [from_s, to_s] }
    end
  end

  def test_reads_evenly_spread_blocks_of_several_weeks
    store = kept((0...14 * DAY_S).step(600))
    found = query(store, 0, 14 * DAY_S)

    assert_equal [72, [28 * 600]], [found.size, found.each_cons(2).map { |one, other| other - one }.uniq]
    assert_equal [600], store.asked.map { |from_s, to_s| to_s - from_s }.uniq
  end

  def test_reads_all_samples_of_a_long_span_with_few
    store = kept([3 * DAY_S, 3 * DAY_S + 600, 20 * DAY_S])
    assert_equal store.starts, query(store, 0, 30 * DAY_S)
  end

  def test_nothing_outside_of_the_span_is_read
    store = kept((0...2 * DAY_S).step(600))
    query(store, 100, DAY_S + 700)
    assert_equal [100, DAY_S + 700], [store.asked.flatten.min, [store.asked.flatten.max, DAY_S + 700].max]
  end

  def test_reads_of_many_hosts_as_many_units_as_of_one
    {1 => [{}, 72], 2 => [{most: 450}, 72], 8 => [{most: 225}, 36], 1000 => [{most: 5}, 12],
     100_000 => [{most: 1}, 12]}.each do |hosts, read|
      store = kept((0...DAY_S).step(600))
      query(store, 0, DAY_S, hosts:)
      assert_equal read, [store.limits.first, store.asked.size], "#{hosts} hosts"
    end
  end

  def test_reads_all_units_of_a_few_hosts_in_a_short_span
    store = kept([0, 600, 1200])
    query(store, 0, 1800, hosts: 24)
    query(store, 0, 1800, hosts: 25)
    assert_equal [{}, {most: 864}], store.limits
  end

  private

  def query(...)
    Holdup::Queries::RecordedInterval::UnitSampleQuery.call(...)
  end

  def kept(starts)
    Kept.new(starts: starts.to_a, asked: [], limits: [])
  end
end
