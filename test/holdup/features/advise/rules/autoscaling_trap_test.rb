# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class AutoscalingTrapTest < Minitest::Test
    include Situations

    def test_an_alarm_that_never_fires
      text = text_of(found = find(MachineRules::AutoscalingTrap, samples: container(processes: 1, vcpus: 2.0),
        units: unit(cpu: 5)))
      assert_match(/\AOn 2 vCPUs these processes \(1\) can use 50.0 % to 55.0 % of the CPU; an/, text["seen"])
      assert_match(/an alarm at 60.0 % may never fire.*\[holdup doctor --autoscale-target 60\]\z/,
        text["seen"])
      assert_match(/above 20.0 ms at p95 .* alarm to 37.5 %\.\z/, text["do"])
      assert_match(/--autoscale-target/, text["verify"])
      assert_equal :scaling, found.remedy
    end

    # Bullets and findings of one page name one target.
    def test_the_target_is_that_of_the_sentence_about_the_ceiling
      samples = container(processes: 1, vcpus: 2.0).each { |sample|
        sample[:cpu_ns] = sample[:cpu_ns] * 9 / 5 if sample[:pid].zero?
      }
      situation = situation(samples:, units: unit(cpu: 5))
      found = MachineRules::AutoscalingTrap.call(situation)
      sentence = Holdup::View::Remarks::Ceiling.remark(situation.summary.processes.machines,
        words: Holdup::View::Words.new)
      assert_includes sentence, "target of #{(found.facts[:alarm_share] * 100).round} % never fires"
      assert_operator found.facts[:alarm_share], :>, found.facts[:high_share]
    end

    def test_the_signal_is_above_what_is_usual
      queued = ->(sample) {
        [sample.window("Slow#q", count: 300,
          histograms: {wall: Holdup::Histogram.of([40 * Situations::MS] * 300),
                       queued: Holdup::Histogram.of([30 * Situations::MS] * 300)})]
      }
      assert_in_delta 60 * Situations::MS,
        find(MachineRules::AutoscalingTrap, samples: container(processes: 1, vcpus: 2.0), units: {},
          &queued).facts[:queued_ns], 3 * Situations::MS
    end

    # 2.5 s in the one place and 5.00 s in the other for the same alarm.
    def test_the_doctor_names_the_same_signal
      queued = ->(sample) {
        [sample.window("Slow#q", count: 300,
          histograms: {wall: Holdup::Histogram.of([40 * Situations::MS] * 300),
                       queued: Holdup::Histogram.of([2500 * Situations::MS] * 300)})]
      }
      found = find(MachineRules::AutoscalingTrap, samples: container(processes: 1, vcpus: 2.0), units: {},
        &queued)
      examined = Holdup::Doctor::ScalingChecks::Autoscale.signal({queued_p95_ns: found.facts[:p95_ns]})
      assert_equal found.facts.slice(:p95_ns, :queued_ns), examined.facts
      text = Holdup::View::Text.new(Holdup::Doctor::Report.new([examined]).page).call.gsub(/\s+/, " ")
      limit = Holdup::View::Figures.duration(found.facts[:queued_ns])
      assert_includes text, "above #{limit} at p95"
      assert_includes text_of(found)["do"], "above #{limit} at p95"
    end

    def test_no_finding_where_the_alarm_fires_or_the_ceiling_is_unknown
      assert_nil find(MachineRules::AutoscalingTrap, samples: container(processes: 2, vcpus: 2.0),
        units: unit(cpu: 5))
      assert_nil find(MachineRules::AutoscalingTrap, units: unit(cpu: 5))
    end
  end
end
