# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/stats_log"

class Holdup::Export::Terraform::AlarmsTest < Minitest::Test
  Terraform = Holdup::Export::Terraform
  ALL = Terraform::Alarms::ALL

  def bodies(**plan)
    resources = Terraform::Alarms.new(Terraform::AlarmPlan.new(**plan)).resources
    resources.fetch(:aws_cloudwatch_metric_alarm)
  end

  def attributes(**plan) = bodies(**plan).values

  def alarm(name, **plan) = bodies(**plan).fetch(:"holdup_#{name}")

  # Whether an alarm goes off at that value, as CloudWatch compares.
  def alarms?(attributes, value)
    threshold = attributes.fetch(:threshold)
    case attributes.fetch(:comparison_operator)
    when "GreaterThanOrEqualToThreshold" then value >= threshold
    when "GreaterThanThreshold" then value > threshold
    when "LessThanThreshold" then value < threshold
    else flunk attributes[:comparison_operator]
    end
  end

  def test_a_full_jit_alarms_and_a_working_one_does_not
    assert alarms?(alarm("jit_saturated"), 1)
    refute alarms?(alarm("jit_saturated"), 0)
  end

  def test_a_jit_without_effect_alarms_and_a_working_one_does_not
    assert alarms?(alarm("jit_ineffective"), 0)
    refute alarms?(alarm("jit_ineffective"), 1)
  end

  def test_memory_alarms_above_what_was_planned
    planned = alarm("memory", memory_mib: 300)

    refute alarms?(planned, 300 << 20)
    assert alarms?(planned, (300 << 20) + 1)
    assert_equal 1024 << 20, alarm("memory").fetch(:threshold), "the plan's default"
  end

  # One process of many must be seen: the mean or a sum would hide it.
  def test_the_worst_process_counts
    ALL.each do |one|
      worst = one.operator.start_with?("Greater") ? "Maximum" : "Minimum"
      assert_equal worst, one.statistic, one.name
    end
  end

  def test_the_metrics_are_in_the_lines
    ALL.each { |one| assert Holdup::StatsLog::Metrics::UNITS.key?(one.metric), one.metric }
  end

  def test_whole_periods_and_enough_of_them
    attributes.each do |one|
      assert_equal 0, 15 * 60 % one.fetch(:period)
      assert_equal 15 * 60, one.fetch(:period) * one.fetch(:evaluation_periods)
      assert_operator one.fetch(:datapoints_to_alarm), :<=, one.fetch(:evaluation_periods)
      assert_operator one.fetch(:datapoints_to_alarm), :>, 1, "a single line is no alarm"
    end
  end

  def test_names_are_unique_and_of_the_application
    names = attributes(app: "shop", server: "puma").map { |one| one.fetch(:alarm_name) }

    assert_equal names.uniq, names
    assert_equal "holdup-shop-puma-jit-saturated", names.first
    assert_equal "holdup-memory", alarm("memory").fetch(:alarm_name)
  end

  # Metrics of filters have no dimensions, and an alarm on one with dimensions would never see them.
  def test_dimensions_only_of_embedded_metrics_that_have_some
    assert_equal({"app" => "shop"}, alarm("memory", format: :emf, app: "shop").fetch(:dimensions))
    refute alarm("memory", format: :emf).key?(:dimensions)
    refute alarm("memory", format: :json, app: "shop").key?(:dimensions)
  end

  def test_each_alarm_says_what_to_do_and_when_it_is_over
    attributes.each do |one|
      assert_operator one.fetch(:alarm_description).size, :<=, 1024, "what CloudWatch takes"
      assert_equal one.fetch(:alarm_actions), one.fetch(:ok_actions)
      assert_equal "${var.holdup_alarm_actions}", one.fetch(:ok_actions).text
      assert_equal "notBreaching", one.fetch(:treat_missing_data)
    end
  end
end
