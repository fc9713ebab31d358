# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

class Holdup::Analysis::ProcessBootsTest < Minitest::Test
  START_S = ExampleUnits::START_S
  NS = 1_000_000_000

  def test_a_minute_of_old_processes_counts
    boots = boots([START_S - 3600, START_S - 600])
    assert boots.warm?(START_S, START_S + 60)
  end

  def test_a_minute_in_which_all_processes_are_young_does_not
    refute boots([START_S - 60]).warm?(START_S, START_S + 60)
  end

  # One of four may be young, as in a phased restart.
  def test_a_quarter_of_young_processes_is_few
    old = [START_S - 3600] * 3
    assert boots([*old, START_S - 30]).warm?(START_S, START_S + 60)
    two_of_seven = boots([*old, *old.first(2), START_S - 30, START_S - 20])
    refute two_of_seven.warm?(START_S, START_S + 60)
  end

  # What has ended before, or begins later, is not in that minute.
  def test_only_processes_of_that_minute_count
    samples = [sample(START_S - 3600, at_s: START_S + 30), sample(START_S - 30, at_s: START_S - 10),
      sample(START_S + 90, at_s: START_S + 120)]
    assert Holdup::Analysis::ProcessBoots.new([], samples).warm?(START_S, START_S + 60)
  end

  def test_single_requests_tell_of_processes_too
    young = Holdup::UnitSample::SampledProcess.new(pid: 9, since_ns: (START_S - 20) * NS)
    units = [ExampleUnits.unit_sample(process: young)]
    refute Holdup::Analysis::ProcessBoots.new(units, []).warm?(START_S, START_S + 60)
  end

  def test_a_request_is_judged_by_the_age_of_its_process
    boots = Holdup::Analysis::ProcessBoots.new([], [])
    ages = [119, 120].map do |age_s|
      process = Holdup::UnitSample::SampledProcess.new(pid: 9, since_ns: (START_S - age_s) * NS)
      boots.warm_unit?(ExampleUnits.unit_sample(process:))
    end
    assert_equal [false, true], ages
  end

  def test_everything_counts_without_a_warm_up
    boots = Holdup::Analysis::ProcessBoots.new([], [sample(START_S)], warm_up_s: 0)
    assert boots.warm?(START_S, START_S + 60)
  end

  def test_when_each_host_had_a_process
    samples = [sample(START_S, at_s: START_S + 60), sample(START_S + 30, pid: 2, at_s: START_S + 90),
      sample(START_S, host: "b", at_s: START_S + 10)]
    hosts = Holdup::Analysis::ProcessBoots.new([], samples).hosts
    assert_equal({"a" => 90, "b" => 10}, hosts.transform_values { |time| time.total_s.round })
  end

  private

  def boots(since)
    samples = since.each_with_index.map { |since_s, index| sample(since_s, pid: index) }
    Holdup::Analysis::ProcessBoots.new([], samples)
  end

  def sample(since_s, pid: 1, host: "a", at_s: START_S + 60) = {host:, pid:, since_s:, at_s:}
end
