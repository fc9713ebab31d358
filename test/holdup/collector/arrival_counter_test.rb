# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class ArrivalCounterTest < Minitest::Test
    include TemporaryFolder

    NS = 1_000_000_000
    MS = 1_000_000
    NOW_NS = 3_000_000 * 600 * NS
    RING = 64
    REQUESTS = Holdup::ArrivalBlock::UnitPool.new(kind: :request, pool: nil)

    def setup
      @store = Holdup::Store.open("memory:")
      @round = new_round
    end

    # A request of which the queue time is known came before it started.
    def test_counts_requests_in_the_second_in_which_they_came
      writer = new_writer
      record(writer, 10.0, queued: 1500 * MS)
      record(writer, 10.0)
      record(writer, 9.95)
      run_round

      counts = stored
      assert_equal({48 => 1, 50 => 2}, by_second(counts))
      assert_equal 1, counts.stamped
      assert_equal 5, counts.squares, "two in one tenth of a second"
    end

    def test_counts_each_once_over_rounds_processes_and_failures
      writers = [new_writer, new_writer(pid: Process.ppid)]
      writers.each { |writer| record(writer, 20.03) }
      broken = new_round(FailingStore.new(@store))
      assert_raises(Holdup::StoreError::Locked) { broken.run(NOW_NS) }
      broken.forget
      run_round
      record(writers.first, 20.01)
      2.times { run_round }

      assert_equal({39 => 3}, by_second(stored))
      assert_equal 9, stored.squares, "what a round adds to a tenth counts with what was there"
    end

    def test_keeps_jobs_of_each_pool_apart
      writer = new_writer
      %w[slow fast fast].each { |pool| record(writer, 5, kind: :job, queue: "low", pool:) }
      run_round
      found = @store.arrivals(0, 1 << 40).first.counts.to_h { |taker, counts| [taker.pool, counts.total] }
      assert_equal({"slow" => 1, "fast" => 2}, found)
    end

    def test_knows_how_many_the_ring_has_lost
      writer = new_writer
      (RING + 5).times { record(writer, 5) }
      run_round
      counts = stored
      assert_equal RING + 5, counts.total + counts.missed
      assert_operator counts.missed, :>=, 5
    end

    private

    def new_writer(**)
      SegmentWriter.new(folder, now_ns: NOW_NS - 600 * NS, ring: RING, **)
    end

    def record(writer, seconds_ago, name: "A#b", **)
      writer.record(name, start_ns: (NOW_NS - seconds_ago * NS).round, **)
    end

    def new_round(store = @store)
      warnings = RateLimitedLog.new(log: CollectedLog.new, clock: HandClock.new)
      Round.new(store:, directory: Holdup::Segment::Directory.new(folder), host: "h", warnings:)
    end

    def run_round = @round.run(NOW_NS)

    def stored = @store.arrivals(0, 1 << 40).first.counts.fetch(REQUESTS)

    def by_second(counts)
      found = counts.seconds.each_with_index.reject { |count, _| count.zero? }
      found.to_h { |count, second| [second, count] }
    end
  end
end
