# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"
require "support/simulated_recording"

class Holdup::Lab::EndpointsTest < Minitest::Test
  Endpoints = Holdup::Lab::Endpoints
  Observed = Struct.new(:unit_samples, :processes, :threads, :time_slice_ns, :demand, :vcpus)
  LOAD = Endpoints::ReferenceLoad.new(rate: 20, processes: 1, threads: 3)

  def unit_samples
    @unit_samples ||= SimulatedRecording.new(seed: 1, minutes: 4, rate: 10, sway: 0.1).all
  end

  def observed(unit_samples)
    Observed.new(unit_samples, 1, 5, Holdup::Advise::Sizing::Scenario::TIME_SLICE_NS,
      Struct.new(:cost).new(Holdup::Advise::Sizing::CoherencyCost::CONSTANT), 2)
  end

  def figures(unit_samples = self.unit_samples, load: LOAD)
    Endpoints.new(observed(unit_samples), load:).to_h
  end

  def test_counts_acquisitions_and_measures_holds_by_medians
    found = figures
    assert_equal ["A#a", "B#b", "C#c"], found.keys
    assert_equal [6, 10, 3], found.values.map(&:acquisitions)
    assert_equal unit_samples.size, found.values.sum(&:count)
    assert_operator found["C#c"].longest_hold_ns, :>, found["A#a"].longest_hold_ns
  end

  def test_predicts_the_same_of_the_same
    assert_equal figures, figures
    assert_operator figures(load: LOAD.with(rate: 5))["A#a"].p95_ns, :<, figures["A#a"].p95_ns
  end

  def test_what_a_request_lacked_of_cpus_is_not_its_own
    starved = unit_samples.map { |unit_sample| unit_sample.with(running_ns: unit_sample.running_ns * 2) }
    assert_equal figures["A#a"].p95_ns, figures(starved)["A#a"].p95_ns
    slower = unit_samples.map { |unit_sample|
      unit_sample.with(running_ns: unit_sample.running_ns * 2, cpu_ns: unit_sample.cpu_ns * 2)
    }
    assert_operator figures(slower)["A#a"].p95_ns, :>, 1.5 * figures["A#a"].p95_ns
  end

  def test_takes_the_recorded_load_by_default
    load = Endpoints.new(observed(unit_samples)).load
    assert_equal [1, 5], [load.processes, load.threads]
    assert_in_delta 10, load.rate, 1.5
  end
end
