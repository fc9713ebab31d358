# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Compare::JsonTest < Minitest::Test
  SHOP = {"A#fast" => {ms: {cpu: 10, stalled: 2, io: 6}, acquisitions: 6, units: 40, blame: 1}}.freeze
  FASTER = {"A#fast" => SHOP["A#fast"].merge(ms: {cpu: 5, stalled: 2, io: 6})}.freeze

  def side(label, units, late: 0, setting: {})
    sample = SampleWindows.new(units:, minutes: 6, setting: SampleWindows::SETTING.merge(setting))
    windows = sample.to_a.map { |window| window.with(start_s: window.start_s + late) }
    Holdup::Compare::Side.new(label:, windows:, from_s: sample.from_s + late, to_s: sample.to_s + late)
  end

  def document
    @document ||= begin
      before, after = side("one\e[1m", SHOP), side("two", FASTER, late: 7200, setting: {"jit" => "off"})
      comparison = Holdup::Compare::Comparison.new(before, after, rounds: 40)
      sentences = Holdup::Compare::Report.new(comparison, words: Holdup::View::Words.new).sentences
      JSON.parse(Holdup::Compare::Json.new(comparison, sentences:).call)
    end
  end

  def metric(name) = document["metrics"].find { |one| one["name"] == name }

  def test_both_sides_with_their_settings
    before, after = document.values_at("before", "after")
    refute_includes before["label"], "\e"
    assert_equal [240, 240], [before["units"], after["units"]]
    assert_equal %w[yjit off], [before, after].map { |one| one["settings"].first["attributes"]["jit"] }
    assert_match(/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\z/, before["from"])
    assert_equal ["jit"], document["changed"].map { |one| one["subject"] }
  end

  def test_a_metric_with_both_values_and_what_is_known_of_their_difference
    cpu = metric("cpu_unit")
    assert_equal "ns", cpu["unit"]
    assert_in_delta 0.5, cpu["after"].fdiv(cpu["before"]), 0.1
    assert_equal cpu["after"] - cpu["before"], cpu["difference"]
    low, high = cpu["relative_interval"]
    assert_includes low..high, cpu["relative"]
    assert_nil cpu["difference_interval"], "it is a ratio"
    assert_equal ["better", true], cpu.values_at("verdict", "relevant")
  end

  def test_numbers_have_no_more_digits_than_they_mean
    assert_kind_of Integer, metric("cpu_unit")["before"]
    shares = document["metrics"].flat_map { |one| one["relative_interval"].to_a }
    assert_empty shares.reject { |share| share == share.round(5) }
    refute_includes document.to_s, "-0.0,"
  end

  def test_the_verdict_names_what_moved
    verdict = document["verdict"]
    assert_equal "better", verdict["key"]
    assert_includes verdict["moved"], "cpu_unit"
    refute_empty verdict["text"]
  end

  def test_what_each_endpoint_did_to_the_mean
    endpoint = document["endpoints"].first
    assert_equal ["A#fast", "request", nil, [1.0, 1.0]], endpoint.values_at("name", "kind", "queue", "shares")
    before, after = endpoint["mean_ns"]
    assert_in_delta after - before, endpoint["moved_ns"], 1
    assert_includes Range.new(*endpoint["moved_interval_ns"]), endpoint["moved_ns"]
  end

  def test_blocks_of_time_that_it_is_computed_from
    assert_equal({"seconds" => 60, "before" => 6, "after" => 6, "same_time" => false, "held" => 0.7},
      document["blocks"])
  end
end
