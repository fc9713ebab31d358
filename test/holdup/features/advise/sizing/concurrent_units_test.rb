# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  # Requests and jobs of the same processes: one kind depends on the concurrent units of the other.
  class ConcurrentUnitsTest < Minitest::Test
    KINDS = %i[request job].freeze
    MS = 1_000_000
    SHORT = {minutes: 3, swing: 0.0}.freeze

    def self.recorded
      @recorded ||= KINDS.to_h { |kind| [kind, PlayedRecording.mixed(kind:)] }
    end

    def self.answers
      @answers ||= recorded.transform_values { |one|
        {with: one.recommendation, without: one.alone.recommendation}
      }
    end

    def recorded = self.class.recorded

    def answers = self.class.answers

    # By how much the time from arrival to end is off that of the replayed truth.
    def errors(kind, processes, own)
      recorded = self.recorded[kind]
      truth = recorded.truth_at(processes:, threads: own + recorded.other_kind.threads).mean(:response)
      answers[kind].values.map { |found|
        found.of(found.now.with(processes:,
          threads: own + found.now.concurrent_threads.sum)).response_ns / truth - 1
      }
    end

    # Recorded with 5 threads for requests and 3 for jobs.
    one_ruby def test_what_it_predicts_of_other_threads_comes_true
      KINDS.product([[1, 2], [1, 10]]).each do |kind, (processes, own)|
        with, without = errors(kind, processes, own)
        assert_operator with.abs, :<, 0.08, "#{kind} #{own}"
        assert_operator without, :<, -0.15, "#{kind} #{own}"
      end
      assert_operator errors(:request, 2, 5).first.abs, :<, 0.05
    end

    one_ruby def test_the_self_test_knows_it_too
      KINDS.each do |kind|
        with, without = answers[kind].values.map { |found| found.self_test.errors.transform_values(&:abs) }
        assert_operator with.values.max, :<, 0.5 * without.values.max
        assert_operator without[:utilisation], :>, 0.2
      end
    end

    # Three minutes of requests and jobs that are as long as in an application with hundreds of queries: which
    # of them met was chance, so that the jobs of the second recording have a p95 of a third of what a replay
    # of their units predicts for another hour.
    one_ruby def test_a_replay_that_fits_by_chance_is_not_grade_a
      [6, 8].each do |seed|
        requests = PlayedRecording.new(shapes: {"Page#show" => [0.5, 90, 50, 300], "Page#index" =>
          [0.3, 130, 60, 380], "Report#show" => [0.2, 230, 130, 480]}, rate: 2.64, seed: 2 * seed, **SHORT)
        jobs = PlayedRecording.new(kind: :job, shapes: {"DigestJob" => [0.25, 15, 4, 60], "RelatedJob" =>
          [0.25, 15, 12, 60], "SummaryJob" => [0.25, 45, 6, 230], "ExportJob" => [0.25, 50, 4, 200]},
          rate: 9.98, threads: 3, seed: 2 * seed + 1, **SHORT)
        jobs.other_kind = requests
        found = jobs.recommendation(units: 1500).self_test
        assert_operator found.errors.values.map(&:abs).max, :<, 0.1
        assert_equal [:b, [:chance]], [found.grade, found.reasons], seed
      end
    end

    one_ruby def test_threads_of_the_others_stay
      found = answers[:request][:with]
      assert_equal [[5, 3], [3], 5], [found.now.caps, found.now.concurrent_threads, found.now.own_threads]
      assert_equal [[3]], found.predictions.map { |one| one.candidate.concurrent_threads }.uniq
      assert_operator found.current.ceiling, :<, 0.8 * answers[:request][:without].current.ceiling
    end

    # What one kind is given, the other pays for.
    one_ruby def test_predicts_both_kinds
      found = answers[:job][:with]
      before, after = [found.now, found.now.with(threads: found.now.threads + 5)].map { |candidate|
        found.pools_of(candidate)
      }
      assert_equal [[3, 5], [8, 5]], [before, after].map { |each| each.map(&:threads) }
      assert_operator after[0].stalled_ns, :>, before[0].stalled_ns
      assert_in_delta 2, before[1].throughput / before[0].throughput, 0.3
      alone = answers[:request][:without]
      assert_operator before[1].stalled_ns, :>, 2 * alone.current.stalled_ns
    end

    # Fewer processes have fewer threads for the others: these have to do their work as well.
    def test_the_others_have_to_be_served
      now = Candidate.new(processes: 2, threads: 8, other_threads: [3], concurrent_threads: [3])
      guards = Guards.new(ServiceDemand.new(held_ns: MS, idle_ns: MS), limits: ResourceLimits.new(vcpus: 4),
        rate: 10.0, current: now, concurrent_load: ConcurrentUnits::ConcurrentLoad.new(busy: 4.5, cpus: 1.0))
      assert_empty guards.call(now)
      assert_equal [:concurrent_units, 4.5, 3], guards.call(now.with(processes: 1)).map(&:to_h).first.values
      two_more = now.with(processes: 1, threads: 10, other_threads: [5], concurrent_threads: [5])
      assert_empty guards.call(two_more)
      assert_empty guards.call(Candidate.new(processes: 1, threads: 5))
      assert_equal [:stability], guards.call(now, 11.0).map(&:name)
    end

    def test_they_come_in_their_own_minutes
      came = ConcurrentUnits.new(recorded[:job].unit_samples, {0 => 600, 60 => 0, 120 => 60})
      assert_equal [10.0, 0.0, 1.0, 0.0], came.rates({0 => 1, 60 => 1, 120 => 1, 180 => 1})
      assert_equal [5.0], came.rates({0 => 2})
      trace = came.trace([[10.0, 60e9], [0.0, 60e9], [1.0, 60e9]], pools: recorded[:job].pools, seed: 1)
      arrivals = trace.units.map { |unit| unit.arrival_ns / 1e9 }
      assert_in_delta 600, arrivals.count { |at| at < 60 }, 75
      assert_empty arrivals.select { |at| at.between?(60, 120) }
      assert_equal arrivals.sort, arrivals
    end

    # Concurrent units cost as much to replay as others.
    def test_with_many_concurrent_units_fewer_units_are_drawn
      few = recorded[:job].arrivals.transform_values { 60 }
      traffic = Traffic.of(recorded[:job].unit_samples, few, pools: recorded[:job].pools,
        concurrent_units: ConcurrentUnits.new(recorded[:request].unit_samples,
          few.transform_values { |count| 200 * count }))
      trace = traffic.peak(units: 1000)
      assert_equal [10, 10], [trace.size, traffic.drawn(units: 1000).size]
      assert_in_delta 2 * 2 * 1000, trace.concurrent_units.size, 300
      assert_operator trace.concurrent_units.units.last.arrival_ns, :>, trace.units.last.arrival_ns
    end

    # Both kinds' time slices change with the environment.
    def test_time_slices
      unit = Trace::TraceUnit.of(recorded[:job].unit_samples.first, 0)
      trace = Trace.new([unit], concurrent_units: Trace.new([unit.with(slice_ns: 50)]))
      assert_equal [0, 10],
        [trace.paced(0.2).units, trace.paced(0.2).concurrent_units.units].map { |units| units.first.slice_ns }
      assert_same trace, trace.paced(1.0)
    end
  end
end
