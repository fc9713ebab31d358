# frozen_string_literal: true

require "test_helper"
require "delegate"
require "support/stored_simulation"
require "support/simulated_users"
require_relative "../../../benchmark/support/coverage/trial"

module Holdup::Advise::Sizing
  # Recordings of users who pause between an answer and their next request: N = X (R + Z).
  class ThinkingUsersTest < Minitest::Test
    MS = 1_000_000
    SHARED = {}
    # Users, pause (s), hand-off (ns), growth, and the gain of a second process, of an hour under either
    # setting. The fourth uses 85 % of the GVL, the others all of it.
    PLANTED = {[60, 5, 0, 0.0] => 0.693, [60, 5, 700_000, 0.1] => 0.641, [35, 2, 0, 0.2] => 0.388,
               [30, 5, 0, 0.0] => 0.432}.freeze

    # Likewise of two processes, and the gain of a third one.
    PLANTED_OF_TWO = {[120, 5, 0, 0.0] => 0.593}.freeze
    # 75 and 85 % of two GVLs.
    FREE_THREADS_OF_TWO = {[60, 5, 0, 0.0] => 0.366, [70, 5, 0, 0.0] => 0.425}.freeze

    def self.recorded(users, think_s, handoff_ns, growth, processes: 1)
      SHARED[[users, think_s, handoff_ns, growth, processes]] ||=
        SimulatedUsers.new(seed: users, users:, think_s:, handoff_ns:, growth:, processes:, minutes: 20)
    end

    # About one more process.
    def advice(recording)
      stored = StoredSimulation.of(recording, {"threads" => 5, "workers" => recording.processes},
        sampled: true)
      processes = recording.processes + 1
      Bench::Coverage::AdviceAbout.new(stored, limits: ResourceLimits.new(vcpus: processes), rounds: 12,
        units: 1500, other: Candidate.new(processes:, threads: 5))
    end

    def saturated = SHARED[:saturated] ||= advice(self.class.recorded(*PLANTED.keys.first))

    # Exact: the machine repairman, whose repair is the GVL.
    def test_a_replay_of_users_serves_what_queueing_theory_says
      random = Random.new(1)
      units = Array.new(20_000) do |at|
        held_ns = (-Math.log(1 - random.rand) * 10 * MS).round
        Trace::TraceUnit.new(arrival_ns: at, held_ns:, idle_ns: 0, acquisitions: 0)
      end
      scenario = Scenario.of(processes: 1, threads: 3, vcpus: 4, handoff_ns: 0)
      [[4, 100], [20, 100], [20, 300]].each do |users, think_ms|
        demand = ServiceDemand.new(held_ns: 10 * MS, idle_ns: think_ms * MS)
        expected = ClosedModel.new(demand).throughput(users)
        found = Replay.closed(Trace.new(units), scenario, users, think_ns: think_ms * MS)
        whole_ns = users * 1e9 / expected
        assert_in_epsilon expected, found.throughput, 0.03
        assert_in_delta whole_ns - think_ms * MS, found.mean(:response), 0.06 * whole_ns
      end
    end

    def test_finds_the_users_of_a_saturated_recording
      users = saturated.users
      refute_nil users, saturated.self_test.errors.inspect
      assert_includes users.thinks_ns.minmax.then { |low, high| low..high }, 5_000 * MS, users.inspect
      assert_in_epsilon 60, users.count(saturated.traffic.mean_rate), 0.3
    end

    def test_says_who_they_are
      words = Holdup::View::Words.new("en")
      said = Holdup::Advise::AdviceVerdict.new(saturated.call, span: "now", words:)
      assert_match(/^Waits vary as if the requests came from about \d+ users of each host, who wait for an/,
        said.reliability.join("\n"))
    end

    # As a load test without pauses, it said 11 to 47 %.
    one_ruby def test_the_gain_of_two_processes_is_in_the_interval
      PLANTED.each do |planted, truth|
        found = advice(self.class.recorded(*planted))
        low, high = found.interval.minmax
        assert_includes low..high, truth, "#{planted} #{found.self_test.grade} #{found.users}"
        refute_equal :c, found.self_test.grade, planted.inspect
      end
    end

    # All threads are busy. One process may have a queue while the other one has none, for minutes.
    one_ruby def test_the_gain_of_a_third_process_is_in_the_interval_or_advice_says_why_not
      PLANTED_OF_TWO.each do |planted, truth|
        found = advice(self.class.recorded(*planted, processes: 2))
        next refute_empty found.self_test.reasons if found.self_test.grade == :c
        low, high = found.interval.minmax
        assert_includes low..high, truth, "#{planted} #{found.self_test.grade} #{found.users}"
      end
    end

    # Requests that come on their own to the least busy process wait as long, unless they come as they were
    # counted. Without users it said 38 to 59 % and 53 to 81 %, with grade A.
    one_ruby def test_users_are_not_excluded_where_the_least_busy_process_explains_short_waits
      FREE_THREADS_OF_TWO.each do |planted, truth|
        found = advice(self.class.recorded(*planted, processes: 2))
        low, high = found.interval.minmax
        assert_includes low..high, truth, "#{planted} #{found.self_test.grade} #{found.users}"
        next if found.users && found.self_test.grade == :a
        refute_empty found.self_test.reasons & %i[pauses peak_contradicted], planted.inspect
      end
    end

    # A replay of requests that come on their own waits 9 to 10 % longer than was measured, which may be
    # chance. With these alone, 43 to 62 % were predicted of half an hour of the first, 55 to 79 % of the
    # second.
    one_ruby def test_users_are_not_excluded_where_longer_waits_may_be_chance
      {[60, 5, 700_000, 0.0, 2] => 0.383, [100, 20, 700_000, 0.0, 1] => 0.515}.each do |planted, truth|
        *users, processes = planted
        found = advice(self.class.recorded(*users, processes:))
        low, high = found.interval.minmax
        assert_includes low..high, truth, "#{planted} #{found.self_test.grade} #{found.users}"
      end
    end

    # Those that were tried do not fit, but others might.
    one_ruby def test_a_load_test_that_fits_excludes_no_users_where_all_threads_were_busy
      unfit = Class.new(Recommendation) { private def users?(*) = false }
      found = unfit.new(saturated.recording, limits: ResourceLimits.new(vcpus: 2), rounds: 2, units: 1000)
      assert_equal :b, found.self_test.grade
      assert_includes found.self_test.reasons, :pauses
      assert_equal 0, found.users.think_ns
      assert_operator found.users.thinks_ns.max, :>, 1_000 * MS
    end

    # With as many waiting as there are on average: 250 users would take minutes to become so many.
    def test_a_replay_of_users_begins_with_those_who_wait
      units = Array.new(2_000) do |at|
        Trace::TraceUnit.new(arrival_ns: at, held_ns: 20 * MS, idle_ns: 0, acquisitions: 0)
      end
      scenario = Scenario.of(processes: 1, threads: 3, vcpus: 4, handoff_ns: 0)
      answer_ns = 250 * 20 * MS - 4_000 * MS
      found = Replay.closed(Trace.new(units), scenario, 250, think_ns: 4_000 * MS, answer_ns:)
      assert_in_epsilon answer_ns, found.column(:response).first(200).sum / 200.0, 0.1
    end

    # Requests that wait for a connection don't wait for the GVL.
    def test_a_small_pool_does_not_look_like_few_users
      found = saturated.recording
      waiting = Class.new(SimpleDelegator) { def resource_wait_ns = measured.response_ns / 5 }.new(found)
      advice = Recommendation.new(waiting, limits: ResourceLimits.new(vcpus: 2), units: 1500)
      assert_nil advice.users
    end

    # Other work took CPUs only while the application left them. 28 a second were served.
    one_ruby def test_a_ceiling_below_what_was_served_says_nothing_of_other_settings
      stored = StoredSimulation.of(SimulatedRecording.new(seed: 3, minutes: 10, rate: 28))
      others = ResourceLimits::OtherCpus.new(constant: 0.0, unit_ns: 90_000_000, mean: 1.7)
      found = Recommendation.new(stored, limits: ResourceLimits.new(vcpus: 2, others:), units: 1500)
      assert_equal [:unknown, :self_test], [found.verdict, found.reasons.first]
      assert_empty found.current.guards
      assert_operator found.current.ceiling, :>=, found.rate * 0.999
      words = Holdup::View::Words.new("en")
      verdict = Holdup::Advise::AdviceVerdict.new(found.call, span: "now", words:)
      expected = /^Why: by the model the present setting can serve at most [\d.]+\/s, but it served/
      assert_match expected, verdict.details.first
      expected = %r{^Can't size yet: this setting served [\d.]+/s, and the model allows at most [\d.]+/s\.}
      assert_match expected, verdict.sentence
    end

    # Chance makes the cells with more requests look as if they had a larger population, too.
    one_ruby def test_throughput_of_a_sample_whose_threads_are_always_busy
      planted = self.class.recorded(*PLANTED.keys.first)
      load = saturated.recording.closed_load
      assert_predicate load, :closed?, "as far as a sample shows"
      assert_in_epsilon planted.all.size / 1200.0, load.saturation(5).throughput, 0.04
    end

    one_ruby def test_requests_that_come_on_their_own_seem_to_have_no_users_or_many
      shape = {"A#a" => SimulatedRecording::Endpoint.new(held_ms: 15, idle_ms: 28, acquisitions: 8,
        share: 1.0, sigma: 0.5)}
      recording = SimulatedRecording.new(seed: 3, minutes: 10, rate: 50, sway: 0.0, endpoints: shape)
      users = advice(recording).users
      assert_operator users.thinks_ns.min, :>, 20 * users.response_ns if users
    end
  end
end
