# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/learned"
require_relative "../../../../support/played_recording"
require_relative "../../../../support/unlike_processes"

module Holdup::Advise::Sizing
  class WhatIfTest < Minitest::Test
    CONVOY = {"Light#show" => [0.9, 3, 8, 6], "Heavy#show" => [0.1, 120, 10, 4]}.freeze

    # Recordings, and the recommendation for each: no what-if changes them, so all tests share them.
    RECORDINGS = {}
    RECOMMENDATIONS = {}.compare_by_identity

    def what_if(recording = plain, **change)
      recommendation = RECOMMENDATIONS[recording] ||= recording.recommendation
      WhatIf.new(recommendation, WhatIf::WhatIfChange.new(**change), rounds: 6)
    end

    def plain = RECORDINGS[:plain] ||= PlayedRecording.new(minutes: 60)

    def convoy
      RECORDINGS[:convoy] ||= PlayedRecording.new(shapes: CONVOY, rate: 25.0, swing: 0.0)
    end

    def waiting
      RECORDINGS[:waiting] ||= PlayedRecording.new(
        shapes: {"Slow#quote" => [0.2, 2, 400, 2],
                 "Light#show" => [0.8, 4, 8, 4]}, rate: 20.0, threads: 3, swing: 0.0
      )
    end

    def truth_of(recording, scenario)
      traffic = recording.recommendation.traffic
      draw = {seed: 77, rate: traffic.peak_rate, units: 30_000}
      units = traffic.peak(**draw).units.zip(traffic.drawn(**draw)).map { |unit, unit_sample|
        unit.with(**yield(unit_sample.series.name))
      }
      Replay.call(Trace.new(units), scenario)
    end

    def test_nothing_else_is_nothing_gained
      same = what_if
      assert_equal same.before, same.after
      assert_equal 0.0, same.gain
    end

    def test_another_setting_is_what_the_recommendation_says_of_it
      found = what_if(processes: 2)
      assert_operator found.gain, :>, 0.1
      assert_operator found.interval.begin, :>, 0.05
      assert_equal 2, found.after.candidate.processes
    end

    # Processes of another setting are booted anew, and a boot is a draw.
    def test_what_processes_differ_by_widens_the_interval_of_another_setting
      unlike = RECORDINGS[:unlike] ||= UnlikeProcesses.new(minutes: 40, swing: 0.0)
      found = what_if(unlike, processes: 3).call
      boots = found.boots
      assert_in_delta Math.log(1.1 / 0.9) / Math.sqrt(2), boots.spread.deviation, 0.04
      assert_equal boots.interval, found.interval
      assert_operator found.interval.begin, :<, boots.alone.begin
      assert_operator found.interval.end, :>, boots.alone.end
      assert_includes found.interval, found.gain
      assert_nil what_if(unlike, factor: 1.2).call.boots, "the same processes serve more"
    end

    # As many jobs ran all the time, so what they take with fewer threads was not seen.
    class ConstantLoad < Recommendation
      private

      def new_self_test(**)
        super.tap { |test| test.define_singleton_method(:constant_load?) { true } }
      end
    end

    def test_much_fewer_threads_after_a_constant_load_are_warned_of
      recording = PlayedRecording.new(minutes: 8, kind: :job)
      found = [Recommendation, ConstantLoad].map do |kind|
        advice = kind.new(recording, limits: recording.limits, rounds: 2, units: 1500)
        warned_of(WhatIf.new(advice, WhatIf::WhatIfChange.new(threads: 1), rounds: 2))
      end
      assert_empty found.first
      assert_match(/^The prediction may be wrong by [\d.]+ %: how long jobs take with so many/, found.last)
    end

    def warned_of(answer)
      words = Holdup::View::Words.new("en")
      change = WhatIf::WhatIfChange.new(threads: 1)
      found = answer.call
      page = Holdup::Advise::WhatIfReport.new(found, change:, kind: :job, slo: Slo.new, span: "now",
        words:).page
      page.blocks.grep(Holdup::View::Blocks::Notes).flat_map(&:texts).join("\n")
    end

    # The corrected prediction is what is likely. A correction alone makes no change better.
    one_ruby def test_what_came_of_earlier_predictions_corrects_another_setting_and_no_other_load
      low, high = [0.8, 1.2].map { |ratio|
        WhatIf.new(plain.recommendation(bias: Learned.learned(ratio, times: 4)),
          WhatIf::WhatIfChange.new(processes: 2), rounds: 2)
      }
      found = what_if(processes: 2)
      assert_equal [found.before] * 2, [low.before, high.before]
      [[low, 0.8**0.5], [high, 1.2**0.5]].each { |one, factor|
        assert_in_delta factor, one.after.responses[0.95].fdiv(found.after.responses[0.95]), 1e-6
      }
      assert_equal found.gain, low.gain
      assert_operator high.gain, :<, found.gain
      refute_predicate low.bias, :none?
      assert_predicate WhatIf.new(plain.recommendation(bias: Learned.learned(0.8)),
        WhatIf::WhatIfChange.new(factor: 1.5)).bias,
        :none?
    end

    def test_twice_the_traffic
      found = what_if(factor: 2.0)
      assert_in_delta 2 * found.before.utilisation, found.after.utilisation, 0.05
      assert_operator found.gain, :<, -0.2
    end

    # Counted on both sides are those that stay.
    one_ruby def test_the_heavy_ones_elsewhere
      found = what_if(PlayedRecording.new(shapes: CONVOY, rate: 30.0), without: "Heavy*")
      assert_operator found.before.response_ns, :<,
        0.85 * PlayedRecording.new(shapes: CONVOY, rate: 30.0).recommendation.current.response_ns
      assert_operator found.gain, :>, 0.3
      assert_in_delta 3_000_000, found.demand.held_ns, 300_000
      assert_empty found.unknown
    end

    def test_half_the_acquisitions
      found = what_if(halved: "Orders*")
      assert_in_delta found.before.utilisation, found.after.utilisation, 0.02
      assert_operator found.gain, :>, -0.05
      assert_in_delta (0.6 * 2 + 0.4 * 3), found.demand.acquisitions, 0.2
    end

    # Every second unit is an order: the same units, drawn otherwise.
    def test_another_mix
      found = what_if(mix: {"Orders*" => 0.8})
      assert_in_delta 0.8 * 20 + 0.2 * 8, found.demand.held_ns / 1e6, 0.6
      assert_in_delta found.before.utilisation * 17.6 / 12.8, found.after.utilisation, 0.05
      assert_operator found.gain, :<, -0.1
    end

    # Held against a replay of all units in two groups of processes, which nobody has drawn from the
    # recording.
    one_ruby def test_an_endpoint_in_processes_of_its_own
      found = what_if(convoy, own_pool: WhatIf::OwnPool.new(name: "Heavy*", threads: 2))
      assert_equal [[1, 5], [1, 2]],
        found.after.candidate.groups.map { |group| [group.processes, group.threads] }
      assert_operator found.others.after.waits[0.95], :<, 0.1 * found.others.before.waits[0.95]
      truth = truth_of(convoy,
        Scenario.new(groups: [Scenario::ProcessGroup.new(processes: 1, threads: 5),
          Scenario::ProcessGroup.new(processes: 1, threads: 2)],
          vcpus: 2.0)) { |name| {group: name.start_with?("Heavy") ? 1 : 0} }
      assert_in_delta 1, found.after.response_ns / truth.mean(:response), 0.08
      assert_equal 7, found.after.connections
    end

    # A thread priority of -3 is a time slice of 20 ms (12.5 in whole ticks), for these threads only.
    def test_a_priority_for_the_heavy_ones
      found = what_if(convoy, priorities: {"Heavy*" => -3})
      assert_operator found.others.after.waits[0.95], :<, 0.8 * found.others.before.waits[0.95]
      assert_operator found.named.after.response_ns, :>, found.named.before.response_ns
      truth = truth_of(convoy, Scenario.of(processes: 1, threads: 5, vcpus: 2.0)) { |name|
        {slice_ns: name.start_with?("Heavy") ? 20_000_000 : 0}
      }
      assert_in_delta 1, found.after.response_ns / truth.mean(:response), 0.08
    end

    # Threads that only wait fill the pool; those marked leave room for others.
    one_ruby def test_threads_for_io
      found = what_if(waiting, io: "Slow*", io_threads: 10)
      assert_operator found.before.queued_ns, :>, 20 * found.after.queued_ns
      assert_operator found.gain, :>, 0.1
      truth = truth_of(waiting, Scenario.of(processes: 1, threads: 3, io_threads: 10, vcpus: 2.0)) { |name|
        {io: name.start_with?("Slow")}
      }
      assert_in_delta 1, found.after.response_ns / truth.mean(:response), 0.05
    end

    def test_a_name_without_units
      assert_equal ["Nobody*"], what_if(without: "Nobody*", halved: "Orders*").unknown
    end
  end
end
