# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

# What the two settings of promises take, as text and as a value.
class Holdup::ConfigurationKeys::GoalsTest < Minitest::Test
  Types = Holdup::ConfigurationKeys::Types
  PROMISE = {slo: {p95: "300ms"}, threads: 1..8}.freeze

  def autopilot = @autopilot ||= Types::Autopilot.new

  def scaling = @scaling ||= Types::Scaling.new

  def test_words_of_the_autopilot
    expected = {slo: {p95: "300ms"}, threads: 1..8, changes_per_day: 2, errors: 0.1, turn: 60}
    assert_equal expected,
      autopilot.parse("p95=300ms threads=1..8 changes_per_day=2 errors=0.1 turn=60")
    assert_equal :off, autopilot.parse(" OFF ")
  end

  def test_words_that_the_autopilot_does_not_know_are_refused
    ["", "p95", "p95=300ms frobnicate=1", "p95=300ms threads=1-8", "p95=300ms turn=x",
      "p95=300ms threads=1..8 threads=1..9"].each { |text| assert_nil autopilot.parse(text), text }
  end

  def test_a_promise_and_a_range_of_threads_are_needed
    assert autopilot.valid?(PROMISE)
    assert autopilot.valid?(:off)
    refute autopilot.valid?(:on)
    PROMISE.each_key { |key| refute autopilot.valid?(PROMISE.except(key)), key }
  end

  def test_limits_of_the_autopilot
    wrong = {slo: [{p49: "1s"}, {p95: "300"}, {p95: 300}, {p95: "1s", p99: "2s"}, "p95=300ms"],
             threads: [0..3, 1..1001, 3..1, 1.., 1.0..2, 5], errors: [0, 1.1, "0.1"],
             changes_per_day: [0, 25], turn: [1, 3601], window: [0, 601], lease: [1, 3601], other: [1]}
    wrong.each do |key, values|
      values.each { |value| refute autopilot.valid?(PROMISE.merge(key => value)), "#{key}: #{value}" }
    end
    right = {slo: [{p50: "9us"}, {"p99.9": "0.5 s"}], threads: [1..1, 1..1000], errors: [1, 0.001],
             changes_per_day: [1, 24]}
    right.each do |key, values|
      values.each { |value| assert autopilot.valid?(PROMISE.merge(key => value)), "#{key}: #{value}" }
    end
  end

  def test_words_of_the_scaling_signal
    assert_equal :off, scaling.parse("Off")
    assert_equal "p95=300ms", scaling.parse("p95=300ms")
    assert_equal({slo: "p95=300ms", within: 60}, scaling.parse("slo=p95=300ms,within=60"))
    ["", "p95", "within=x", "within=1,within=2", "when=3"].each do |text|
      assert_nil scaling.parse(text), text
    end
  end

  def test_limits_of_the_scaling_signal
    ["p95=300ms", "p50=1 s", :off, {within: 1}, {slo: "p95=1s", within: 86_400}].each do |value|
      assert scaling.valid?(value), value.inspect
    end
    ["p95", "p49=1s", :on, nil, {}, {within: 0}, {within: 86_401}, {slo: :p95}, {every: 1}].each do |value|
      refute scaling.valid?(value), value.inspect
    end
  end
end
