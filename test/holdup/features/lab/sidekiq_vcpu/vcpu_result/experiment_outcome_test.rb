# frozen_string_literal: true

require "test_helper"
require_relative "../sample_outcomes"

class Holdup::Lab::SidekiqVcpu::VcpuResult::ExperimentOutcomeTest < Minitest::Test
  MS = SampleOutcomes::MS

  def outcome(jobs, **options)
    SampleOutcomes.new.outcome(jobs, **options)
  end

  def test_two_in_one_process
    seen = outcome(SampleOutcomes::THREADS)
    assert_equal %w[JobA JobB], seen.jobs.map(&:name)
    assert_equal [1995 * MS, 2000 * MS], [seen.each_ns, seen.in_all_ns]
    assert_equal [1000 * MS, 995 * MS], [seen.mean(:running_ns), seen.mean(:stalled_ns)]
    assert_in_delta 1.001, seen.cores, 0.0001
    assert_in_delta 0.5005, seen.cpu_share, 0.0001
    assert_in_delta 1, seen.caused_by_job
  end

  def test_one_thread_runs_the_second_job_after_the_first
    seen = outcome(SampleOutcomes::SERIAL)
    assert_equal [1000 * MS, 2000 * MS], [seen.each_ns, seen.in_all_ns]
    assert_nil seen.caused_by_job
  end

  def test_what_others_caused_no_job_did
    seen = outcome(SampleOutcomes::THREADS, handoff: 100, account: 99)
    assert_in_delta 1 - 199 / 1990.0, seen.caused_by_job
    assert_equal 0, outcome({"JobA" => {cpu: 100, stalled: 50}}, handoff: 60).caused_by_job
  end

  def test_without_the_time_that_cpus_were_missing
    half = {"JobA" => {cpu: 1000, starved: 1000, stalled: 2000},
            "JobB" => {cpu: 1000, starved: 1000, stalled: 2000}}
    assert_in_delta 2000 * MS, outcome(half).undisturbed_ns
    assert_in_delta 0.25, outcome(half).starved_share
    assert_in_delta 1000 * MS, outcome({"JobA" => {cpu: 1000, starved: 4000}}).undisturbed_ns
  end

  def test_is_complete_when_each_job_is_there_once
    assert outcome(SampleOutcomes::THREADS).complete?(2)
    refute outcome(SampleOutcomes::ALONE).complete?(2)
    refute Holdup::Lab::SidekiqVcpu::VcpuResult::ExperimentOutcome.new([]).complete?(1)
  end

  def test_the_ceiling_of_its_machine
    assert_equal 0.5, outcome(SampleOutcomes::THREADS).ceiling(1).low
    assert_equal 1, SampleOutcomes.new(vcpus: 1).outcome(SampleOutcomes::ALONE).ceiling(1).low
  end
end
