# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/demo/conclusion"
require_relative "../../bin/support/demo/cpu_time"

# The last sentence of bin/demo.
class DemoConclusionTest < Minitest::Test
  one_ruby

  MS = 1_000_000

  def sentence(advice, starved: 0.0, idle_share: 0.6, before_ns: 300 * MS, after_ns: 101 * MS)
    json = JSON.generate(series: [{cpu_ns: 1_000 - starved * 1_000, starved_ns: starved * 1_000}])
    Demo::Conclusion.new(json, idle_share:, advice:, before_ns:, after_ns:).sentence
  end

  def test_the_advice_came_true
    assert_equal "What this shows: the advice came true. Half of the answers took at most 300 ms before " \
      "the change and 101 ms after it.", sentence(:kept)
  end

  def test_a_busy_machine_is_the_first_thing_that_it_says
    text = sentence(:kept, starved: 0.58, idle_share: 0.0)
    assert_match(/\AWhat this shows: no CPU is free here\. For 58 % of the time/, text)
    assert_match(/The advice came true all the same\./, text)
  end

  # Otherwise one run of ten would say something else.
  def test_beside_other_work_each_outcome_has_the_same_verdict
    verdicts = %i[kept missed unknown unverified keep].map do |advice|
      sentence(advice, starved: 0.5, idle_share: 0.01)[/: (.*?)\./, 1]
    end
    assert_equal ["no CPU is free here"], verdicts.uniq
  end

  def test_threads_without_a_cpu_are_the_reason_where_a_prediction_was_missed
    assert_match(/no CPU is free here/, sentence(:missed, starved: 0.15, idle_share: 0.1))
    assert_match(/the prediction was missed/, sentence(:missed, starved: 0.05, idle_share: 0.1))
  end

  def test_does_not_say_that_no_cpu_is_free_where_cpus_were_idle
    assert_match(/the prediction was missed/, sentence(:missed, starved: 0.15, idle_share: 0.6))
    assert_match(/Holdup gives no advice here/, sentence(:unknown, starved: 0.11, idle_share: 0.3))
  end

  # A quota, or pages that are read from a disk: other programs do not use the CPUs.
  def test_idle_cpus_are_free
    assert_match(/the advice came true\./, sentence(:kept, starved: 0.5, idle_share: 0.3))
  end

  def test_a_system_that_does_not_say_how_idle_it_is
    assert_match(/no CPU is free here/, sentence(:kept, starved: 0.5, idle_share: nil))
  end

  def test_says_when_there_is_no_advice
    assert_match(/Holdup gives no advice here/, sentence(:unknown, after_ns: nil))
    assert_match(/would keep this setting/, sentence(:keep, after_ns: nil))
  end

  STATUS = "Name:\truby\nCpus_allowed_list:\t%s\n"
  BEFORE = <<~STAT
    cpu  400 0 0 400 0 0 0 0 0 0
    cpu0 100 0 0 100 0 0 0 0 0 0
    cpu1 100 0 0 100 0 0 0 0 0 0
    cpu3 100 0 0 100 0 0 0 0 0 0
  STAT
  AFTER = <<~STAT
    cpu  900 0 0 900 0 0 0 0 0 0
    cpu0 175 5 10 105 5 0 0 0 0 0
    cpu1 100 0 0 200 0 0 0 0 0 0
    cpu3 150 0 0 100 0 0 0 50 0 0
  STAT

  def idle_share(allowed)
    before, after = [BEFORE, AFTER].map do |stat|
      Demo::CpuTime.now(read: ->(path) { (path == "/proc/stat") ? stat : format(STATUS, allowed) })
    end
    after.idle_share(before)
  end

  def test_idle_time_is_that_of_the_cpus_that_this_process_may_use
    assert_in_delta 0.1, idle_share("0")
    assert_in_delta 0.55, idle_share("0-1")
    assert_in_delta 0.0, idle_share("3"), 0.001, "time that a hypervisor took is not idle"
    assert_in_delta 110 / 300.0, idle_share("0-1,3")
  end

  def test_knows_nothing_where_there_is_no_proc
    assert_nil Demo::CpuTime.now(read: ->(_) { raise Errno::ENOENT })
  end
end
