# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::ComparisonTest < Minitest::Test
  Comparison = Holdup::Compare::Comparison
  SHOP = {"A#fast" => {ms: {cpu: 4, stalled: 2, io: 6}, acquisitions: 6, units: 100, blame: 1},
          "B#slow" => {ms: {cpu: 40, stalled: 8, io: 60}, acquisitions: 9, units: 20, blame: 2}}.freeze
  JIT = SampleWindows::SETTING.merge("jit" => "none", "jit_by" => nil)

  def test_what_got_faster_is_better_with_the_truth_in_its_interval
    estimate = compare(sample(minutes: 12), sample(minutes: 12, seed: 2, cpu: 0.5)).estimates[:cpu_unit]
    assert_equal :better, estimate.verdict
    assert_includes estimate.interval, -0.5
    assert_operator estimate.difference, :<, 0
  end

  def test_equal_sides_do_not_differ_and_name_the_visible_difference
    comparison = compare(sample(minutes: 12), sample(minutes: 12, seed: 3))
    assert_equal :none, comparison.verdict.key
    comparison.verdict.unmoved.each { |estimate| assert_includes 0.0..0.5, estimate.visible }
  end

  def test_another_mix_of_endpoints_is_not_a_difference
    slow = SHOP.merge("B#slow" => SHOP["B#slow"].merge(units: 60))
    comparison = compare(sample(minutes: 12), sample(minutes: 12, seed: 2, units: slow))
    assert_equal :none, comparison.estimates[:wall_mean].verdict
    assert_operator comparison.mix_effect, :>, 0.4
  end

  def test_which_endpoint_moved_the_total
    only = SHOP.merge("B#slow" => SHOP["B#slow"].merge(ms: {cpu: 20, stalled: 8, io: 60}))
    comparison = compare(sample(minutes: 12), sample(minutes: 12, seed: 2, units: only))
    first = comparison.contributions.first
    assert_equal "B#slow", first.series.name
    assert_operator first.range.end, :<, 0
    assert_in_delta comparison.estimates[:wall_mean].difference, comparison.contributions.sum(&:moved_ns), 1
  end

  def test_endpoints_of_one_side_are_left_out_and_named
    more = SHOP.merge("C#new" => SHOP["A#fast"])
    comparison = compare(sample(minutes: 6), sample(minutes: 6, seed: 2, units: more))
    assert_equal 0, comparison.left_out.first
    assert_in_delta 100 / 220.0, comparison.left_out.last, 0.001
    assert_equal :none, comparison.estimates[:wall_mean].verdict
  end

  def test_compares_each_minute_with_itself_when_both_sides_ran_at_once
    assert_predicate compare(sample(minutes: 12), sample(minutes: 12, seed: 2)), :paired?
    refute_predicate compare(sample(minutes: 12), sample(minutes: 12, seed: 2), offset_s: 7200), :paired?
  end

  def test_blocks_are_long_where_the_recording_is
    assert_equal [60, 120, 600],
      [3, 12,
        60].map { |minutes|
        compare(sample(minutes:,
          units: {"A#a" => SHOP["A#fast"].merge(units: 3)})).block_s
      }
  end

  def test_concludes_nothing_from_two_blocks
    comparison = compare(sample(minutes: 2), sample(minutes: 2, seed: 2, cpu: 0.5))
    assert_nil comparison.estimates[:cpu_unit].interval
    assert_equal :unknown, comparison.verdict.key
    assert_operator comparison.estimates[:cpu_unit].relative, :<, -0.3
  end

  def test_queued_and_stalled_together_come_from_single_units
    unit_samples = Array.new(200) { |index|
      ExampleUnits.unit_sample(index * 60, stalled_ns: 3_000_000, queued_ns: 1_000_000)
    }
    window = sample(minutes: 1).window("A#b", start_s: ExampleUnits::START_S, count: 200,
      setting: ExampleUnits::SETTING, histograms: {wall: Holdup::Histogram.of([5_000_000] * 200)})
    one = Holdup::Compare::Side.new(label: "x", windows: [window], unit_samples:,
      from_s: ExampleUnits::START_S,
      to_s: ExampleUnits::START_S + 60)
    assert_in_delta 4_000_000, Comparison.new(one, one).estimates[:wait_p95].before, 100_000
  end

  def test_the_first_minutes_of_a_process_are_kept_apart
    windows = sample(minutes: 6)
    samples = (0..6).map { |minute|
      {at_s: windows.from_s + minute * 60, since_s: windows.from_s, host: "web-1", pid: 1, start: 1,
       setting: windows.to_a.first.setting.fingerprint}
    }
    one = Holdup::Compare::Side.new(label: "x", windows: windows.to_a, samples:, from_s: windows.from_s,
      to_s: windows.to_s)
    assert_equal [480, 240], [one.units, one.cold.sum(&:count)]
  end

  def test_a_process_counts_by_a_sample_or_by_a_unit_alone
    windows = sample(minutes: 1).to_a
    setting = windows.first.setting
    unit_samples = [[1, 50], [1, 50], [2, 60]].map do |pid, since_s|
      process = Holdup::UnitSample::SampledProcess.new(pid:, since_ns: since_s * 1_000_000_000 + 7)
      ExampleUnits.unit_sample(0, setting:, process:)
    end
    samples = [[1, 50], [3, 70]].map { |pid, since_s|
      {at_s: since_s + 9, since_s:, host: unit_samples.first.host, pid:, start: pid,
       setting: setting.fingerprint}
    }
    assert_equal 3,
      Holdup::Compare::Side.new(label: "x", windows:, unit_samples:, samples:, from_s: 0, to_s: 1,
        filter: Holdup::Analysis::UnitFilter.new).processes
  end

  def test_memory_is_of_the_oldest_age_that_both_had
    before, after = [[100, 3], [150, 40]].map { |megabytes, minutes| memory(megabytes, minutes) }
    found = Holdup::Compare::ProcessAges::MemoryByAge.new(before, after)
    assert_equal 120, found.band.from_s
    estimate = found.estimate(Comparison::Metric::ALL[:pss])
    assert_in_delta 0.5, estimate.relative, 0.05
    assert_equal :worse, estimate.verdict
  end

  def test_facts_that_change_together_are_one_thing
    before, after = [["3.3.8", 144], ["3.4.5", 51]].map do |ruby, patch|
      attributes = {"ruby" => ruby, "ruby_patch" => patch, "threads" => 5, "arm" => ruby}
      Holdup::Setting.new(attributes:)
    end
    change = Holdup::Analysis::SettingDifferences.new([before], [after])
    assert_equal ["ruby"], change.differences.map(&:subject)
    assert_predicate change, :single?
    more_threads = Holdup::Setting.new(attributes: {**after.attributes, "threads" => 3})
    refute_predicate Holdup::Analysis::SettingDifferences.new([before], [more_threads]), :single?
    assert_equal({"threads" => 5}, change.shared)
  end

  private

  def sample(minutes:, seed: 1, cpu: 1, units: SHOP)
    units = units.transform_values { |shape| shape.merge(ms: shape[:ms].merge(cpu: shape[:ms][:cpu] * cpu)) }
    SampleWindows.new(units:, minutes:, seed:, setting: (seed == 1) ? SampleWindows::SETTING : JIT)
  end

  def compare(before, after = before, offset_s: 0)
    Comparison.new(side(before, 0), side(after, offset_s), rounds: 60)
  end

  def side(sample, offset_s)
    windows = sample.to_a.map { |window| window.with(start_s: window.start_s + offset_s) }
    Holdup::Compare::Side.new(label: "x", windows:, from_s: sample.from_s + offset_s,
      to_s: sample.to_s + offset_s)
  end

  # Four processes; the first minutes of each are smaller.
  def memory(megabytes, minutes)
    (1..4).flat_map do |pid|
      (0..minutes).map { |minute|
        {at_s: minute * 60, since_s: 0, host: "a", pid:, start: 1,
         pss_bytes: (megabytes + pid) * 1_000_000 + minute}
      }
    end
  end
end
