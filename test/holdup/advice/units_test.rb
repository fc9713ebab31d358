# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  # Rules that look at what units do.
  class UnitsTest < Minitest::Test
    include Situations

    def test_lock_contention
      found = find(:LockContention, units: unit("Carts#update", cpu: 5, lock: 20))
      assert_equal [:lock_contention, "Carts#update", :code], [found.rule, found.facts[:name], found.remedy]
      assert_in_delta 0.8, found.facts[:lock_share], 0.05
      assert_nil find(:LockContention, units: unit(cpu: 20, lock: 1))
    end

    def test_a_release_storm
      found = find(:ReleaseStorm, units: unit("Orders#index", acquisitions: 4000, cpu: 50, stalled: 30).merge(unit("B#b", cpu: 5, stalled: 1)))
      assert_equal ["Orders#index", 4000.0], found.facts.values_at(:name, :acquisitions)
      assert_nil find(:ReleaseStorm, units: unit(acquisitions: 80, cpu: 50, stalled: 30))
      assert_nil find(:ReleaseStorm, units: unit(acquisitions: 4000, cpu: 50)), "nobody stalls"
    end

    def test_a_convoy
      heavy = unit("Reports#sales", units: 20, blame: 80, cpu: 200, stalled: 5)
      found = find(:Convoy, units: heavy.merge(unit("Light#show", units: 200, blame: 20, cpu: 2, stalled: 60)))
      assert_equal "Reports#sales", found.facts[:name]
      assert_operator found.facts[:hold_ns], :>, 50 * MS
      assert_nil find(:Convoy, units: unit("A#a", cpu: 10, stalled: 10, blame: 80).merge(unit("B#b", cpu: 2, stalled: 10))), "short holds"
      assert_nil find(:Convoy, units: heavy), "nobody stalls"
    end

    def test_native_code_that_keeps_the_gvl
      found = find(:Native, units: unit("Images#show", cpu: 900).merge(unit("B#b", cpu: 2, stalled: 60)))
      assert_equal "Images#show", found.facts[:name]
      assert_operator found.facts[:hold_ns], :>, 250 * MS
      assert_nil find(:Native, units: unit(cpu: 60, stalled: 20))
    end

    def test_a_pool_of_connections
      waits = ->(sample) { [sample.window("A#a", count: 10, sums: {pool_wait_ns: 4000 * MS, pool_held_ns: 9000 * MS}, histograms: {wall: Holdup::Histogram.of([500 * MS] * 10)})] }
      found = find(:DbPool, units: unit(units: 20, io: 5, cpu: 5), setting: SampleWindows::SETTING.merge("db_pool" => 3), &waits)
      assert_equal ["3", "A#a"], found.facts.values_at(:size, :name)
      assert_operator found.facts[:wait_share], :>, 0.3
      assert_nil find(:DbPool, units: unit(io: 5))
    end

    def test_queueing_beyond_the_stall
      queued = lambda do |sample|
        [sample.window("Slow#q", count: 300, histograms: {wall: Holdup::Histogram.of([40 * MS] * 300), queued: Holdup::Histogram.of([90 * MS] * 300), stalled: Holdup::Histogram.of([5 * MS] * 300)})]
      end
      found = find(:QueueLarger, units: unit(units: 10, cpu: 5), &queued)
      assert_operator found.facts[:queued_ns], :>, 2 * found.facts[:stalled_ns]
      assert_nil find(:QueueLarger)
    end

    def test_one_class_of_jobs_poisons_the_others
      jobs = unit("ReportJob", units: 10, blame: 90, cpu: 400).merge(unit("MailJob", units: 200, blame: 10, cpu: 3, stalled: 40, io: 20))
      found = find(:QueueSplit, units: jobs, kind: :job, queue: "default")
      assert_equal %w[ReportJob default], found.facts.values_at(:name, :queue)
      assert_nil find(:QueueSplit, units: jobs), "requests have no queues"
      assert_nil find(:QueueSplit, units: jobs.merge(unit("ReportJob", units: 400, blame: 90, cpu: 4)), kind: :job, queue: "default"), "it is most of the jobs"
    end

    def test_settings_mixed
      other = ->(_) { SampleWindows.new(setting: SampleWindows::SETTING.merge("threads" => 3)).to_a }
      found = find(:SettingsMixed, &other)
      assert_equal [2, "threads=5, threads=3"], found.facts.values_at(:count, :differing)
      assert_nil find(:SettingsMixed)
    end

    def test_nothing_was_measured
      assert_empty Holdup::Advice.call(situation(units: {}))
    end

    def test_all_of_them_in_words
      all = Holdup::Advice.call(situation(samples: container(processes: 1)))
      refute_empty all
      assert_equal all.map(&:rank).sort, all.map(&:rank)
    end
  end
end
