# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class ThreadPoolsTest < Minitest::Test
    include ExampleUnits

    Member = Data.define(:pools)

    def pool(name, max, busy = 0.0)
      Holdup::Analysis::ProcessReport::ProcessPool.new(name:, max:, busy:, backlog: nil, most_backlog: nil,
        oldest_ns: nil)
    end

    def window(queue, pool, count)
      series = Holdup::Series.new(kind: :pool, name: pool, queue:)
      Holdup::Window.empty(series:, setting: nil, host: "a", start_s: ExampleUnits::START_S,
        seconds: 60).with(count:)
    end

    def pools(*all,
      windows: [window("low", "low", 5), window("mail", "default (mail, high)", 9),
        window("high", "default (mail, high)", 1)], first: nil, **options)
      ThreadPools.of(windows, members: all.map { |pools| Member.new(pools:) }, first:, **options)
    end

    def capsules(busy = 1.5)
      [pool("default (mail, high)", 5, 0.5), pool("low", 2, busy), pool("db primary", 9)]
    end

    def indices(found, *queues)
      queues.map { |queue| found.index(unit_sample(0, kind: :job, queue:)) }
    end

    def test_the_busiest_is_first_and_takes_its_queues
      found = pools(capsules, capsules)
      assert_equal ["low", "default (mail, high)"], found.names
      assert_equal [5], found.other_threads
      assert_equal 7, found.threads
      assert_equal [0, 1, 1], indices(found, "low", "mail", "high")
      assert_equal "default (mail, high)", pools(capsules(0.1)).names.first
    end

    def test_who_was_asked_about_is_first
      found = pools(capsules, first: "default (mail, high)")
      assert_equal ["default (mail, high)", [2]], [found.names.first, found.other_threads]
      assert_equal [1, 0], indices(found, "low", "mail")
    end

    def test_an_unknown_queue_is_of_the_first
      assert_equal [0, 0], indices(pools(capsules), "new", nil)
    end

    # As often as it was seen, and a unit always to the same.
    def test_a_queue_that_several_look_into
      found = pools(capsules, windows: [window("low", "low", 1), window("low", "default (mail, high)", 3)])
      units = Array.new(400) { |index| unit_sample(index, kind: :job, queue: "low") }
      assert_in_delta 0.75, units.sum { |unit| found.index(unit) } / 400.0, 0.1
      assert_equal units.map { |unit| found.index(unit) }, units.map { |unit| found.index(unit) }
    end

    # A web server with a job runner in it: the kind in question comes first, whoever is busier.
    def test_requests_and_jobs
      both = [pool("web", 5, 0.1), *capsules]
      requests, jobs = %i[request job].map { |kind| pools(both, both, kind:, concurrent: true) }
      assert_equal [["web", "low", "default (mail, high)"], [2, 5]],
        [requests.names, requests.concurrent_threads]
      assert_equal [["low", "default (mail, high)", "web"], [5]], [jobs.names, jobs.concurrent_threads]
      assert_equal [[1, 2, 1], [0, 1, 0]],
        [requests, jobs].map { |found| indices(found, "low", "mail", "new") }
      assert_equal [0, 2], [requests, jobs].map { |found| found.index(unit_sample(0)) }
      assert_equal [true, false], [requests.concurrent_units?,
        pools(capsules, concurrent: true).concurrent_units?]
      assert_equal ["web", "default"],
        pools([pool("web", 5), pool("default", 3)], windows: [], kind: :request, concurrent: true).names
    end

    # The other kind is unknown; nobody knows who ran what; processes that differ; more than a replay knows.
    def test_one_kind_where_the_other_is_unknown
      both = [pool("web", 5), *capsules]
      assert_same ThreadPools::ONE, pools(both, kind: :request)
      assert_equal ["low", "default (mail, high)"], pools(both).names
      assert_same ThreadPools::ONE, pools(both, kind: :request, windows: [], concurrent: true)
      assert_same ThreadPools::ONE, pools(both, [pool("web", 5)], kind: :request, concurrent: true)
      assert_same ThreadPools::ONE,
        pools([pool("web", 5), *Array.new(8) { |index| pool("capsule #{index}", 1) }], kind: :request,
          concurrent: true)
    end

    # One pool; processes that differ; no word of who ran what; a web server's threads.
    def test_one_where_there_is_nothing_to_tell_apart
      assert_same ThreadPools::ONE, pools([pool("default", 5)])
      assert_same ThreadPools::ONE, pools(capsules, [pool("default", 5)])
      assert_same ThreadPools::ONE, pools(capsules, windows: [])
      assert_same ThreadPools::ONE, pools([pool("web", 5), pool("default", 3)])
      assert_same ThreadPools::ONE, pools
      assert_equal [[], [], false], [ThreadPools::ONE.names, ThreadPools::ONE.other_threads,
        ThreadPools::ONE.several?]
    end
  end
end
