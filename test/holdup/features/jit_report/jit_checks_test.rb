# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What the doctor makes of what processes tell of their JIT.
class Holdup::JitReport::JitChecksTest < Minitest::Test
  MIB = 1 << 20
  GAUGES = {jit_enabled_ns: 1_700_000_000_000_000_000, jit_saturated: 0, jit_limit_bytes: 48 * MIB,
            jit_code_bytes: 48 * MIB, jit_alloc_bytes: 100 * MIB}.freeze

  def process(setting = {}, jit: {}, gauges: {})
    profile = {"server" => "puma", **jit.transform_keys { |name| "jit.#{name}" }}
    Holdup::Doctor::Checks::Host::HostProcess.new(pid: 7, alive: true, closed: false, heartbeat_ns: 0,
      setting: {"jit" => "yjit", "jit_by" => "holdup", **setting},
      counters: {}, requests: 0, queued: 0, worker: 0, profile:, gauges: {**GAUGES, **gauges})
  end

  def off = process({"jit" => "off", "jit_by" => nil})

  Seen = Struct.new(:alive) do
    def development? = false
  end

  def findings(*processes)
    checks = Holdup::JitReport::JitChecks
    host = Seen.new(processes)
    [checks::Activation, checks::Origin, checks::Effect].flat_map { |check| check.call(host) }
  end

  def keys(...) = findings(...).map(&:key)

  def test_on_in_the_workers_and_off_in_the_master
    worker = process(jit: {"at" => "process", "parent" => "off"})
    found = findings(worker, worker)
    assert_equal %i[jit jit_master_off], found.map(&:key)
    assert_equal({name: "yjit", processes: 2, since: "2023-11-14 22:13:20 UTC", by: "holdup"},
      found.first.facts)
  end

  def test_off_in_some
    assert_equal({processes: 1, all: 2}, findings(off, process).first.facts)
    assert_empty findings(process({"jit" => nil}, gauges: GAUGES.transform_values { nil }))
  end

  def test_the_hook_of_a_master
    inherited = process({"jit_by" => "application"}, jit: {"at" => "parent", "parent" => "on"})
    missed = off.with(profile: {**off.profile, "jit.parent" => "off"})
    assert_equal %i[jit_off jit_wrong_hook], keys(missed, inherited, inherited)
    assert_equal %i[jit jit_wrong_hook], keys(process(jit: {"at" => "process", "parent" => "off"}), inherited)
    assert_equal %i[jit jit_in_master], keys(inherited, inherited)
    wished = inherited.with(profile: {**inherited.profile, "jit.wish" => "on"})
    assert_equal %i[jit jit_too_early], keys(wished, wished)
    assert_equal [:jit], keys(inherited.with(worker: nil))
    assert_equal [:jit], keys(inherited.with(setting: {**inherited.setting, "refork" => true}))
  end

  def test_from_the_start_of_ruby
    assert_equal %i[jit jit_at_boot],
      keys(process({"jit_by" => "RUBYOPT"}, jit: {"at" => "boot", "parent" => "on"}))
  end

  def test_what_was_asked_for_and_can_not_be
    assert_includes keys(process(jit: {"wish" => "off"})), :jit_unwanted
    assert_equal %i[jit_off jit_unavailable],
      keys(off.with(profile: {"jit.wish" => "on", "jit.available" => false}))
    line = findings(process(jit: {"rubyopt" => "--yjit-disable --yjit-mem-size=64"})).find { |finding|
      finding.key == :jit_options
    }
    assert_equal({line: "--yjit-disable --yjit-mem-size=64"}, line.facts)
  end

  def test_ineffective
    assert_includes keys(process({"jit_effective" => false})), :jit_ineffective
    found = findings(process({"jit_effective" => false}, jit: {"suspects" => "byebug, tracer"})).last
    assert_equal [:jit_ineffective_suspects, {processes: 1, suspects: "byebug, tracer"}],
      [found.key, found.facts]
  end

  # Counting takes longer than the interpreter would.
  def test_with_statistics_the_effect_is_not_known
    found = findings(process({"jit_stats" => "on"})).last
    assert_equal Holdup::Doctor::Checks::CheckResult.ok(:jit_effect_unknown, processes: 1, name: "YJIT"),
      found
    assert_equal "ZJIT", findings(process({"jit" => "zjit", "jit_stats" => "on"})).last.facts[:name]
    refute_includes keys(process), :jit_effect_unknown
  end

  # YJIT's options would make that Ruby exit.
  def test_zjit_gets_no_advice_on_yjit
    zjit = process({"jit" => "zjit", "jit_by" => "RUBYOPT"},
      jit: {"at" => "boot", "parent" => "on", "wish" => "on"}, gauges: {jit_saturated: 1})
    inherited = process({"jit" => "zjit"}, jit: {"at" => "parent", "parent" => "on", "wish" => "off"})
    missed = off.with(profile: {**off.profile, "jit.parent" => "off"})
    [[zjit], [zjit, inherited], [inherited, missed]].each do |processes|
      findings(*processes).each do |found|
        %w[en ja].each do |language|
          refute_match(/--yjit|RUBY_YJIT|RubyVM::YJIT/, sentences(found, language), found.key)
        end
      end
    end
    assert_equal %i[jit jit_zjit_instead jit_saturated_zjit], keys(zjit)
    assert_equal "--zjit-mem-size", findings(zjit).last.facts[:option]
    assert_includes keys(inherited), :jit_unwanted_zjit
  end

  # It has the JIT that it can have.
  def test_zjit_of_a_ruby_without_yjit_is_what_config_jit_asks_for
    zjit = process({"jit" => "zjit", "jit_by" => "holdup"},
      jit: {"at" => "process", "wish" => "on", "available" => false})
    assert_equal %i[jit jit_zjit_effect_unknown], keys(zjit)
  end

  def sentences(found, language)
    words = Holdup::View::Words.new(language)
    keys = [found.key, *(:"#{found.key}_fix" unless found.ok?)]
    keys.map { |key| Holdup::View::CheckSentence.call(words, key, found.facts) }.join(" ")
  end

  def test_workers_that_do_not_live_long_enough
    host = Struct.new(:lives)
    short = Holdup::Analysis::JitReport::ProcessLife::WorkerLifetimes.new(server: "puma", ended: 9, alive: 4,
      units: 300, seconds: 90, jit: true)
    found = Holdup::JitReport::JitChecks::ShortLives.call(host.new([short]))
    assert_equal [[:jit_short_lives, {server: "puma", ended: 9, units: 300, lived_ns: 90_000_000_000}]],
      found.map { |finding| [finding.key, finding.facts] }
    well = [short.with(ended: 4), short.with(units: 5000, seconds: 3000), short.with(jit: false)]
    assert_empty Holdup::JitReport::JitChecks::ShortLives.call(host.new(well))
  end

  def test_full
    found = findings(process(jit: {"limit_of" => "code", "limit_from" => "default"},
      gauges: {jit_saturated: 1})).last
    assert_equal [:jit_saturated, {processes: 1, limit: 48.0, from: "default", code: 48.0, metadata: 100.0,
                                   option: "--yjit-exec-mem-size", more: 60}],
      [found.key, found.facts]
  end
end
