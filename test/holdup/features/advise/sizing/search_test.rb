# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "minitest/mock"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class SearchTest < Minitest::Test
    # Little enough to be cheap: how exact replays are is tested elsewhere.
    UNITS = 150
    RECORDING = PlayedRecording.new(minutes: 5)
    SLICED = PlayedRecording.new(minutes: 5, slices: true)
    IO_SHAPES = {"Slow#quote" => [0.2, 2, 400, 2], "Light#show" => [0.8, 4, 8, 4]}.freeze

    def search(recording = RECORDING, rate: 25.0, limits: {}, now: Candidate.of(recording), seed: 1,
      population: nil, handoffs: [Handoff::USUAL_NS])
      traffic = Traffic.of(recording.unit_samples, recording.arrivals, pools: recording.pools,
        concurrent_units: recording.concurrent_units)
      limits = recording.limits(**limits)
      Search.new(recording, traffic:, now:, limits:, slo: Slo.new, rate:, units: UNITS,
        handoffs:, seed:, population:,
        assignments: Forecast::ASSIGNMENTS.fetch(recording.kind))
    end

    def order(candidate)
      [candidate.threads, candidate.processes, -candidate.time_slice_ns, candidate.io_threads]
    end

    def test_each_candidate_is_there_once_and_in_order
      found = search(SLICED).predictions.map(&:candidate)

      assert_equal found.uniq, found
      assert_equal found.sort_by { |one| order(one) }, found
      assert_includes found, Candidate.of(SLICED)
    end

    def test_the_same_seed_gives_the_same_answer
      assert_equal search.predictions, search.predictions
      refute_equal search.predictions, search(seed: 2).predictions
    end

    def test_one_candidate_alone_is_predicted_as_among_all
      one = search
      one.predictions.select(&:replayed?).first(3).each do |prediction|
        assert_equal prediction, search.of(prediction.candidate)
      end
    end

    # An interval has to contain what each way would bring.
    def test_rounds_of_a_bootstrap_take_the_ways_to_several_processes_in_turns
      recording = PlayedRecording.new(minutes: 5, processes: 2)
      one = search(recording, rate: 50.0)
      now = Candidate.of(recording)
      trace = Traffic.of(recording.unit_samples, recording.arrivals).peak(seed: 1, rate: 50.0, units: UNITS)
      assignments = [1, 2, 3].map { |round| one.forecast(round:).call(now, trace, force: true).assignments }
      assert_equal [[:least_busy], [:random], [:least_busy]], assignments
      assert_equal %i[random least_busy], one.forecast.call(now, trace, force: true).assignments
    end

    # Where a recording fits several about as well.
    def test_rounds_of_a_bootstrap_take_each_likely_hand_off_with_each_way
      one = search(rate: 50.0, handoffs: [0, 200_000])
      two = Candidate.of(RECORDING).with(processes: 2)
      trace = Traffic.of(RECORDING.unit_samples, RECORDING.arrivals).peak(seed: 1, rate: 50.0, units: UNITS)
      found = (0..3).map { |round| one.forecast(round:).call(two, trace, force: true) }
      assert_equal [false, false, true, true], found.map { |prediction| prediction.handoff_ns.positive? }
      assert_equal %i[random least_busy] * 2, found.flat_map(&:assignments)
      assert_equal 0, one.forecast.call(two, trace, force: true).handoff_ns, "the likeliest"
    end

    # The present is compared with, so it is replayed even if it breaks a limit. Others are not worth it.
    def test_the_present_is_replayed_though_a_guard_rejects_it
      now = Candidate.of(RECORDING)
      found = search(limits: {connections: 3}).predictions
      rejected = found.reject(&:allowed?)

      assert_includes rejected.map(&:candidate), now
      assert_equal [now], rejected.select(&:replayed?).map(&:candidate)
      assert_operator rejected.size, :>, 1
    end

    def test_a_candidate_that_was_asked_for_is_replayed_though_a_guard_rejects_it
      large = Candidate.of(RECORDING).with(threads: 6)
      found = search(limits: {connections: 3}).of(large)

      refute_predicate found, :allowed?
      assert_predicate found, :replayed?
    end

    def test_other_time_slices_only_where_this_ruby_has_them
      without, with = [RECORDING, SLICED].map do |recording|
        search(recording).predictions.map(&:candidate).reject { |one| one.time_slice_ns == 100_000_000 }
      end

      assert_empty without
      assert_equal Search::CandidateGrid::SLICES_NS.sort, with.map(&:time_slice_ns).uniq.sort
    end

    # All candidates with all slices would take four times as long.
    def test_other_time_slices_for_the_present_and_the_best_only
      predictions = search(SLICED).predictions
      plain, sliced = predictions.partition { |one| one.candidate.time_slice_ns == 100_000_000 }
      best = plain.select(&:allowed?).min_by(Search::SETTLED) { |one| one.waits[0.95] }.map(&:candidate)
      settled = sliced.map { |one| one.candidate.with(time_slice_ns: 100_000_000) }.uniq

      assert_equal [Candidate.of(SLICED), *best].to_set, settled.to_set
      assert_operator plain.size, :>, settled.size
    end

    def io_recording(**options)
      PlayedRecording.new(shapes: IO_SHAPES, rate: 12.0, threads: 3, minutes: 5, **options)
    end

    def test_threads_for_io_only_where_the_server_has_them
      without, with = [false, true].map do |io_threads|
        search(io_recording(io_threads:), rate: 12.0).predictions
      end

      assert_equal [0], without.map { |one| one.candidate.io_threads }.uniq
      found = with.find { |one| one.candidate.io_threads.positive? && one.replayed? }
      alone = search(io_recording(io_threads: true), rate: 12.0).of(found.candidate)
      assert_equal alone, found, "replayed with marked units"
    end

    def test_units_are_marked_only_for_a_candidate_with_threads_for_them
      recording = io_recording(io_threads: true)
      one = search(recording, rate: 12.0)
      traffic = Traffic.of(recording.unit_samples, recording.arrivals)
      draw = {seed: 1, rate: 12.0, units: UNITS}
      now = Candidate.of(recording)
      plain = one.drawn(traffic, now, **draw).units
      marked = one.drawn(traffic, now.with(io_threads: 2), **draw).units

      assert_empty plain.select(&:io)
      assert_includes 1...UNITS, marked.count(&:io)
      assert_equal plain, marked.map { |unit| unit.with(io: false) }, "the same units at the same times"
    end

    def guards(recording, rate: 1000.0, **options)
      search(recording, rate:, **options).forecast.estimate(Candidate.of(recording)).guards
    end

    # Jobs that come faster than they end wait in the queue, and requests whose clients wait can't.
    def test_a_rate_limits_only_requests_that_come_on_their_own
      jobs = PlayedRecording.new(minutes: 5, kind: :job)

      refute_empty guards(RECORDING)
      assert_empty guards(RECORDING, population: 4)
      assert_empty guards(jobs)
      assert_empty guards(RECORDING, rate: 1.0)
    end

    def population_at(rate, population:)
      given = nil
      Forecast.stub(:new, ->(**options) { given = options }) do
        search(rate: 10.0, population:).forecast(rate:)
      end
      given.fetch(:population)
    end

    def test_more_traffic_is_more_units_in_the_system
      assert_equal 8, population_at(10.0, population: 8)
      assert_equal 20, population_at(25.0, population: 8)
      assert_equal 3, population_at(13.0, population: 2), "rounded"
      assert_equal 1, population_at(0.01, population: 8), "at least one"
      assert_nil population_at(25.0, population: nil)
    end

    # Half of the units for each of two groups of processes, one of which is as slow again.
    def test_groups_of_processes_are_guarded_by_their_own_units
      demand = RECORDING.demand
      slow = demand.with(held_ns: demand.held_ns * 20)
      candidate = Candidate.of(RECORDING)
      pair = candidate.with(pool: candidate)
      same, slower = [demand, slow].map do |other|
        search.forecast(parts: [[demand, 0.5], [other, 0.5]]).estimate(pair)
      end

      assert_empty same.guards
      refute_empty slower.guards
      assert_operator slower.ceiling, :<, same.ceiling
    end

    # More than one group could serve, and little enough for two.
    def test_each_group_of_processes_has_its_share_of_the_rate
      candidate = Candidate.of(RECORDING)
      pair = candidate.with(pool: candidate)
      parts = [[RECORDING.demand, 0.5], [RECORDING.demand, 0.5]]
      rate = 0.6 * search.forecast(parts:).estimate(pair).ceiling

      assert_empty search(rate:).forecast(parts:).estimate(pair).guards
      refute_empty search(rate:).forecast.estimate(candidate).guards
    end
  end
end

module Holdup::Advise::Sizing
  class CandidateGridTest < Minitest::Test
    NOW = Candidate.new(processes: 2, threads: 5)

    def candidates(vcpus: 2, share: 0.5, now: NOW)
      Search::CandidateGrid.new(ServiceDemand.of_share(share), current: now, vcpus:).to_a
    end

    def test_the_grid
      found = candidates
      assert_equal [1, 2, 3], found.select { |one| one.threads == 1 }.map(&:processes)
      assert_equal [1, 2], found.select { |one| one.threads == 3 }.map(&:processes)
      assert_equal 7, found.map(&:threads).max # 2 N_sat + 1, N_sat = 3
      assert_includes found, NOW
      assert_equal found.uniq, found
    end

    # Unicorn and Pitchfork: processes do what threads do elsewhere.
    def test_a_server_without_threads
      found = Search::CandidateGrid.new(ServiceDemand.of_share(0.5), current: NOW.with(threads: 1), vcpus: 2,
        threaded: false).to_a
      assert_equal [[1], [*1..8]], [found.map(&:threads).uniq, found.map(&:processes)]
    end

    def test_what_there_is_now_is_in_it_however_odd
      odd = Candidate.new(processes: 9, threads: 40)
      assert_includes candidates(now: odd), odd
    end

    def test_a_large_machine_has_no_thousand_candidates
      assert_operator candidates(vcpus: 96, share: 0.9).size, :<, 700
      assert_operator candidates(share: 0.99).map(&:threads).max, :<=, 32
    end

    # Of a process's seven threads three are of another pool.
    def test_other_pools_keep_their_threads
      now = NOW.with(threads: 7, other_threads: [3])
      found = candidates(now:)
      assert_equal [*4..10], found.map(&:threads).uniq.sort
      assert_equal [[1, 3], [7, 3]], found.map(&:caps).minmax
      assert_includes found, now
    end

    def test_half_a_cpu
      assert_equal [1], candidates(vcpus: 0.5, now: NOW.with(processes: 1)).map(&:processes).uniq
    end

    def test_slices_of_what_is_settled
      slices = Search::CandidateGrid.slices([NOW])
      assert_equal [50, 20, 10], slices.map { |one| one.time_slice_ns / 1_000_000 }
      assert_equal 2, Search::CandidateGrid.slices([NOW.with(time_slice_ns: 10_000_000)]).size
    end

    def test_effort_is_smallest_for_what_is
      assert_equal NOW, candidates.min_by { |one| one.effort(NOW) }
      assert_equal %i[threads], NOW.with(threads: 3).differences(NOW)
      assert_operator NOW.with(threads: 9).effort(NOW) <=> NOW.with(threads: 1, processes: 1).effort(NOW),
        :<, 0
    end
  end
end
