# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/played_recording"

module Holdup::Advise::Sizing
  # Capsules of a Sidekiq: one of three threads for jobs that mostly wait, one of two for jobs that compute.
  class FullPoolsTest < Minitest::Test
    NS = 1_000_000_000
    MINUTES = 1
    # Jobs in the queue, against those that come in that time: more than the threads can do.
    MORE = 15
    NO_GROWTH = CoherencyEstimator::IntervalEstimate.unknown(0).with(value: 0.0, low: -0.02, high: 0.02)
    OPEN = PlayedRecording.capsules(minutes: MINUTES)

    # What a process would have recorded of jobs that were all there from the start in these pools.
    # @param full [Array<Integer>] pools
    # @param handoff_ns [Integer] of the GVL
    # @return [PlayedRecording]
    def recorded(full:, handoff_ns: Handoff::USUAL_NS)
      trace = waiting(full)
      now = Candidate.of(OPEN)
      played = Replay.call(trace, now.scenario(vcpus: 2.0, assignment: :shared, handoff_ns:))
      part = played.within(0..MINUTES * 60 * NS)
      results = part.rows
      units = results.zip(part.trace.units).map { |words, one| unit(words, one) }
      of_units(units, part)
    end

    def waiting(full)
      came = Traffic.of(OPEN.unit_samples, OPEN.arrivals, pools: OPEN.pools).recorded(seed: 5, units: 100_000)
      queued, others = came.units.partition { |unit| full.include?(unit.pool) }
      Trace.new((queued * MORE).map.with_index { |unit, at| unit.with(arrival_ns: at) } + others)
    end

    def unit((queued, stalled, held, response), unit)
      queue = OPEN.pools.names.fetch(unit.pool)
      name = (queue == "mail") ? "MailJob" : "ReportJob"
      Holdup::UnitSample.new(series: Holdup::Series.new(kind: :job, name:, queue:), setting: nil, host: "a",
        process: nil, start_ns: PlayedRecording::START_S / 60 * 60 * NS + unit.arrival_ns + queued,
        running_ns: held, cpu_ns: held, idle_ns: response - queued - stalled - held, stalled_ns: stalled,
        acquisitions: unit.acquisitions, longest_hold_ns: 0, gc_ns: 0, queued_ns: queued,
        in_flight_milli: 5000, concurrency: 4, weight: 1.0)
    end

    def of_units(units, part)
      arrivals = OPEN.arrivals.transform_values { units.size }
      queued_ns = part.mean(:queued)
      load = ClosedLoad::FullPools.new(units, OPEN.pools, processes: 1, seconds: MINUTES * 60.0,
        between: Scenario::DispatchCost::NOTHING)
      measured = SelfTest::MeasuredFigures.new(queued_ns:, stalled_ns: part.mean(:stalled),
        handoff_ns: part.handoff_ns, response_ns: part.mean(:response),
        p95_ns: part.histogram(:response).quantile(0.95), utilisation: part.utilisation)
      OPEN.dup.tap do |one|
        one.instance_exec { @unit_samples, @arrivals, @demand = [units, arrivals, nil] }
        one.measured = measured
        one.define_singleton_method(:closed_load) { load }
        one.define_singleton_method(:growth_estimate) { NO_GROWTH }
      end
    end

    def self_test(recording, **options)
      SelfTest.new(recording, traffic: Traffic.of(recording.unit_samples, recording.arrivals,
        pools: OPEN.pools),
        current: Candidate.of(recording), vcpus: 2.0..2.0, assignments: [:shared], units: 4000,
        load: recording.closed_load, **options).call
    end

    def test_full_pools_are_replayed_with_jobs_that_wait
      found = self_test(recorded(full: [0, 1]))
      assert_equal :a, found.grade, found.errors.inspect
      assert_operator found.errors.values.map(&:abs).max, :<, 0.05, found.errors.inspect
      assert_equal 2, found.measured.throughput.size
    end

    # Its mails come as they came.
    def test_one_pool_is_full_and_the_other_is_not
      recording = recorded(full: [1])
      assert_equal [1], recording.closed_load.full.keys
      found = self_test(recording)
      refute_equal :c, found.grade, found.errors.inspect
      assert_equal 1, found.measured.throughput.size
    end

    def test_pools_with_jobs_that_come_on_their_own_are_not_full
      refute_predicate recorded(full: []).closed_load, :closed?
    end

    def test_catches_a_hand_off_that_the_model_ignores
      found = self_test(recorded(full: [0, 1], handoff_ns: 1_500_000), handoff_ns: 0)
      assert_equal :c, found.grade, found.errors.inspect
    end
  end
end
