# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  # What samples of processes say of their queues, with made-up samples.
  class WaitingBacklogTest < Minitest::Test
    START_S = 1_700_000_040 # a whole minute
    MINUTE_S = 60

    def sample(at_s, text, pid: 7, pool: 0, backlog: nil, **rest)
      sizes = Holdup::WaitingQueue.parse([text])
      {at_s:, host: "a", pid:, start: 1, "waiting.#{pool}.0": text,
       "pool.#{pool}.backlog": backlog || sizes.sum(&:size), **rest}
    end

    def window(minute, queue, count)
      Holdup::Window.empty(series: Holdup::Series.new(kind: :job, name: "A", queue:), setting: nil, host: "a",
        start_s: START_S + minute * MINUTE_S, seconds: MINUTE_S).with(count:)
    end

    def backlog(samples, windows = [])
      WaitingBacklog::SampledQueues.new(samples, windows).call
    end

    def test_the_last_sample_says_what_waits
      found = backlog([sample(100, "0:high=9 1:low=90"), sample(160, "0:high=1 1:low=80")])
      assert_equal [["high", 1, 0], ["low", 80, 1]], found.queues.map { |one| [one.name, one.size, one.lane] }
      assert_equal [160, 81], [found.at_s, found.jobs]
    end

    def test_processes_of_the_same_queues_report_the_same_jobs
      found = backlog([sample(100, "0:high=9 1:low=90", pid: 7), sample(110, "0:high=8 1:low=95", pid: 8)])
      assert_equal({"high" => 9, "low" => 95}, found.queues.to_h { |one| [one.name, one.size] })
    end

    def test_what_processes_have_read_of_a_queue_is_summed
      samples = [sample(100, "0:a=90 a@Mail=3 a@Sync=1", pid: 7), sample(110, "0:a=95 a@Mail=2", pid: 8),
        sample(110, "0:a=94", pid: 9)]
      assert_equal({"Mail" => 5, "Sync" => 1}, backlog(samples).queues.first.mix)
    end

    def test_a_process_that_has_ended_says_nothing
      assert_nil backlog([sample(100, "0:high=9", ended: true)])
    end

    def test_several_texts_are_one_list
      one = sample(100, "0:a=1", backlog: 3).merge("waiting.0.1": "1:b=2")
      assert_equal %w[a b], backlog([one]).queues.map(&:name)
    end

    def test_is_unknown_where_a_part_of_the_jobs_has_no_queue
      assert_nil backlog([sample(100, "0:high=90", backlog: 100)])
      assert_equal 96, backlog([sample(100, "0:high=96", backlog: 100)]).jobs
    end

    def test_each_pool_has_queues_and_lanes_of_its_own
      first = sample(100, "0*3:a=1 1*1:b=4", "pool.0": "web")
      one = first.merge(sample(100, "0:c=2", pool: 1, "pool.1": "mails"))
      found = backlog([one]).queues.map { |queue| [queue.name, queue.pool, queue.lane, queue.weight] }
      assert_equal [["a", "web", 0, 3], ["b", "web", 1, 1], ["c", "mails", 2, 0]], found
    end

    def test_is_unknown_where_two_pools_take_from_one_queue
      one = sample(100, "0:a=1", "pool.0": "web").merge(sample(100, "0:a=1", pool: 1, "pool.1": "mails"))
      assert_nil backlog([one])
    end

    def test_is_unknown_where_a_part_of_the_jobs_of_a_pool_has_no_queue
      one = sample(100, "0:a=1").merge(sample(100, "0:b=2", pool: 1, backlog: 50))
      assert_nil backlog([one])
    end

    def test_is_unknown_without_queues
      assert_nil backlog([])
      assert_nil backlog([{at_s: 1, host: "a", pid: 7, start: 1}])
    end

    def test_lanes_have_the_weights_of_their_queues
      assert_equal [0, 0], backlog([sample(1, "0:a=1 0:b=1 1:c=2")]).lanes
      assert_equal [3, 1], backlog([sample(1, "0*3:a=1 1*1:b=1")]).lanes
    end

    # Sizes at each minute, and 60 jobs that end in each.
    def filling(*sizes)
      samples = sizes.each_with_index.map do |size, minute|
        sample(START_S + minute * MINUTE_S, "0:a=#{size}")
      end
      windows = Array.new(sizes.size) { |minute| window(minute, "a", 60) }
      backlog(samples, windows).arrival_rate
    end

    def test_jobs_arrive_as_fast_as_they_end_where_as_many_wait
      assert_in_delta 1.0, filling(*[500] * 12), 0.001
    end

    def test_no_jobs_arrive_where_those_that_wait_become_fewer_by_those_that_end
      assert_equal 0.0, filling(*(0..11).map { |minute| 1000 - 60 * minute })
    end

    def test_a_burst_is_no_rate
      sizes = (0..11).map { |minute| ((minute < 6) ? 1000 : 9000) - 60 * minute }
      assert_equal 0.0, filling(*sizes)
    end

    def test_few_samples_are_no_rate
      assert_equal 0.0, filling(500, 500, 500)
    end
  end
end
