# frozen_string_literal: true

require "test_helper"
require_relative "sample_outcomes"

class Holdup::Lab::SidekiqVcpu::VcpuResultTest < Minitest::Test
  def sample = @sample ||= SampleOutcomes.new

  def slow(factor, jobs = SampleOutcomes::ALONE)
    sample.outcome(jobs.transform_values { |states| states.transform_values { |ms| ms * factor } })
  end

  def test_multiples_of_one_alone
    lines = sample.result.lines
    assert_equal [[1, 1], [1.995, 2], [1, 2], [1, 1]], lines.map { |line| [line.each, line.in_all] }
    assert lines.all?(&:as_expected?)
    assert_empty sample.result.doubtful
  end

  def test_the_fastest_run_counts
    result = sample.result(alone: [slow(1.5), slow(1), slow(1.2)])
    assert_equal 1, result.line(:alone).each
    assert_in_delta 0.5, result.line(:alone).spread
    assert_in_delta 1.995, result.line(:threads).each
    assert_equal 3, result.repeats
  end

  def test_the_alarm_of_the_autoscaling
    fires = ->(result) {
      result.lines.select { |line| result.alarm?(line) }.map { |line| line.experiment.name }
    }
    assert_equal [:processes], fires.call(sample.result)
    assert_equal %i[alone threads serial processes], fires.call(sample.result(target: 0.5))
  end

  def test_doubts_what_is_not_as_theory_says
    result = sample.result(processes: [slow(1.3, SampleOutcomes::PROCESSES)])
    refute_predicate result, :starved?
    assert_equal [:processes], result.doubtful.map { |line| line.experiment.name }
    assert_in_delta 1.3, result.line(:processes).cpu
  end

  def test_a_busy_machine_does_not_refute_the_theory
    busy = {"JobA" => {cpu: 1000, starved: 500}, "JobB" => {cpu: 1000, starved: 500}}
    result = sample.result(processes: [sample.outcome(busy)])
    assert_predicate result, :starved?
    assert_in_delta 1 / 3.0, result.starved_share
    assert_empty result.doubtful
    assert_in_delta 1, result.line(:processes).undisturbed
  end

  def test_with_one_vcpu_processes_starve_each_other
    sample = SampleOutcomes.new(vcpus: 1)
    shared = {"JobA" => {cpu: 1000, starved: 1000}, "JobB" => {cpu: 1000, starved: 1000}}
    result = sample.result(processes: [sample.outcome(shared)])
    assert result.lines.all?(&:as_expected?)
    refute_predicate result, :starved?
    refute_predicate result.ceiling, :low?
  end
end
