# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::Recording
  class RecordedSettingsTest < Minitest::Test
    NS = 1_000_000_000
    WARM_UP_S = 120
    SAMPLE = SampleWindows.new
    PUMA = Holdup::Setting.new(attributes: {"server" => "puma", "threads" => 5})
    WITH_JOBS = Holdup::Setting.new(attributes: {"server" => "puma", "threads" => 5, "jobs" => "solid_queue"})

    def test_the_setting_with_most_units_is_first
      settings = recorded([window(PUMA, 3), window(WITH_JOBS, 5), window(PUMA, 4)])
      assert_equal({PUMA => 7, WITH_JOBS => 5}, settings.to_h)
      assert_equal [PUMA, WITH_JOBS], settings.to_h.keys
      assert_equal [3, 4], settings.first.map(&:count)
    end

    def test_nothing_recorded
      settings = recorded([])
      assert_empty settings.to_h
      assert_empty settings.first
      assert_empty settings.fingerprints
      refute settings.first?(window(PUMA, 1))
    end

    def test_arms_of_an_experiment_are_one_setting_with_the_label_of_the_larger
      stable, canary = %w[stable canary].map { |arm| labelled(arm) }
      settings = recorded([window(canary, 2), window(stable, 3), window(canary, 2)])
      assert_equal({canary => 7}, settings.to_h)
      assert_equal [canary, stable].map(&:fingerprint).sort, settings.fingerprints.sort
    end

    def test_arms_that_differ_in_more_than_their_label_are_several
      other = Holdup::Setting.new(attributes: {**PUMA.attributes, "threads" => 3, "arm" => "canary"})
      assert_equal 2, recorded([window(labelled("stable"), 2), window(other, 3)]).to_h.size
    end

    def test_two_arms_together_may_be_larger_than_one_setting
      windows = [window(WITH_JOBS, 5), window(labelled("stable"), 3), window(labelled("canary"), 4)]
      assert_equal labelled("canary"), recorded(windows).to_h.keys.first
    end

    def test_knows_units_of_the_first_setting_by_their_setting
      settings = recorded([window(PUMA, 5), window(WITH_JOBS, 1)])
      assert settings.first?(window(PUMA, 1))
      assert settings.first?(unit(PUMA))
      refute settings.first?(unit(WITH_JOBS))
      refute settings.first?(window(nil, 1))
    end

    def test_the_setting_of_a_process_that_still_boots_does_not_count
      assert_equal({WITH_JOBS => 100}, after_boot(age_s: WARM_UP_S - 1).to_h)
    end

    def test_a_setting_that_outlasts_the_warm_up_counts
      assert_equal [WITH_JOBS, PUMA], after_boot(age_s: WARM_UP_S).to_h.keys
    end

    def test_a_process_that_never_got_another_setting_counts
      assert_equal [WITH_JOBS, PUMA], after_boot(age_s: 10, later_pid: 8).to_h.keys
    end

    def test_without_single_units_no_setting_is_passing
      windows = [window(WITH_JOBS, 100), window(PUMA, 2)]
      assert_equal 2, recorded(windows, warm_up_s: WARM_UP_S).to_h.size
    end

    def test_without_a_warm_up_no_setting_is_passing
      assert_equal [WITH_JOBS, PUMA], after_boot(age_s: 1, warm_up_s: 0).to_h.keys
    end

    private

    # A web server's process that runs jobs too once it has booted.
    def after_boot(age_s:, later_pid: ExampleUnits::PROCESS.pid, warm_up_s: WARM_UP_S)
      process = ExampleUnits::PROCESS
      start_ns = process.since_ns + age_s * NS
      unit_samples = [unit(PUMA, start_ns:), unit(WITH_JOBS, process: process.with(pid: later_pid))]
      recorded([window(WITH_JOBS, 100), window(PUMA, 2)], unit_samples:, warm_up_s:)
    end

    def recorded(windows, **) = RecordedSettings.new(windows, **)

    def labelled(arm)
      Holdup::Setting.new(attributes: {**PUMA.attributes, "arm" => arm})
    end

    def window(setting, count) = SAMPLE.window("A#b", setting:, count:)

    def unit(setting, **) = ExampleUnits.unit_sample(setting:, **)
  end
end
