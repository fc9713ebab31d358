# frozen_string_literal: true

require "test_helper"
require "holdup/agent/stats_log"
require "json"

class Holdup::StatsLog::JitFiguresTest < Minitest::Test
  MIB = 1 << 20

  def setup
    @dir = Dir.mktmpdir
    @stats = StatsLines.new(@dir, every: 10)
    @stats.gauge(**StatsLines::GAUGES)
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def setting(**facts)
    setting = JSON.parse(StatsLines::SETTING).merge(facts.transform_keys(&:to_s))
    @stats.segment.setting = JSON.generate(setting)
  end

  def test_levels_and_what_they_grew_by
    @stats.after(0)
    @stats.gauge(jit_code_bytes: 5 * MIB, jit_alloc_bytes: 11 * MIB, jit_compiled_iseqs: 1000,
      jit_invalidations: 4, jit_compile_ns: 90_000_000)
    line = @stats.after(20)
    assert_equal ["yjit", "holdup", "2023-11-14T22:13:10.000Z", 1, 0, 1, 0, 128 * MIB, "total"],
      line.values_at("jit", "jit_by", "jit_since", "jit_on", "jit_warm", "jit_effective", "jit_saturated",
        "jit_limit_bytes", "jit_limit_of")
    assert_equal [5 * MIB, MIB, 11 * MIB, 3 * MIB, 1000, 100, 4, 1, 20.0],
      line.values_at("jit_code_bytes", "jit_code_bytes_delta",
        "jit_metadata_bytes", "jit_metadata_bytes_delta",
        "jit_compiled_iseqs", "jit_compiled_iseqs_delta",
        "jit_invalidations", "jit_invalidations_delta",
        "jit_compile_ms_delta")
    assert_equal [0.125, (16 * MIB * 1.3).round], line.values_at("jit_used_share", "jit_memory_bytes")
  end

  def test_the_first_line_has_no_differences
    line = @stats.after(0)
    assert_equal 4 * MIB, line["jit_code_bytes"]
    assert_empty line.keys.grep(/_delta\z/)
  end

  def test_a_limit_on_the_code_alone
    @stats.segment.profile = {"server" => "puma", "jit.limit_of" => "code"}
    @stats.gauge(jit_limit_bytes: 48 * MIB, jit_code_bytes: 12 * MIB)
    assert_in_delta 0.25, @stats.after(0)["jit_used_share"]
  end

  def test_interpreted_instructions_of_each_unit
    @stats.after(0)
    4.times { @stats.segment.record("A#b", wall: 1000) }
    @stats.gauge(jit_interpreted_instructions: 1_000_400)
    assert_equal 100, @stats.after(20)["jit_interpreted_per_unit"]
  end

  def test_off
    setting(jit: "off", jit_by: nil, jit_effective: nil)
    @stats.gauge(jit_enabled: 0)
    line = @stats.after(0)
    assert_equal({"jit" => "off", "jit_on" => 0}, line.select { |name, _| name.start_with?("jit") })
  end

  def test_what_a_version_does_not_tell_is_left_out
    unknown = Holdup::Segment::Layout::UNKNOWN
    @stats.gauge(jit_invalidations: unknown, jit_interpreted_instructions: unknown)
    @stats.after(0)
    assert_empty @stats.after(20).keys & %w[jit_invalidations jit_invalidations_delta
      jit_interpreted_per_unit jit_ratio_in_yjit jit_stats]
  end

  def test_the_ratio_is_that_of_the_interval_and_only_in_the_arm_with_deep_statistics
    @stats.gauges[:jit_compiled_instructions] = 5_000_000
    @stats.after(0)
    @stats.gauges[:jit_compiled_instructions] = 5_950_000
    @stats.gauge(jit_interpreted_instructions: 1_050_000)
    refute @stats.after(20).key?("jit_ratio_in_yjit")
    setting(jit_stats: "on")
    @stats.gauges[:jit_compiled_instructions] = 6_900_000
    @stats.gauge(jit_interpreted_instructions: 1_100_000)
    assert_equal ["on", 95.0], @stats.after(20).values_at("jit_stats", "jit_ratio_in_yjit")
  end

  def test_leaves_out_the_effectiveness_that_was_not_tested
    setting(jit_effective: nil)
    refute @stats.after(0).key?("jit_effective")
    setting(jit_effective: false)
    assert_equal 0, @stats.after(20)["jit_effective"]
  end
end
