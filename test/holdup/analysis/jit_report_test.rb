# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::JitReportTest < Minitest::Test
  include JitSamples

  def test_those_that_are_there_with_and_without
    found = jits(life(0), life(1, base: JitSamples::OFF), life(2, minutes: 5, ended: true),
      life(3, minutes: 2))
    assert_equal [4, ["worker 0"], ["worker 1"]],
      [found.lives.size, found.on.map(&:name), found.off.map(&:name)]
    assert_equal 1, jits(life(0), every_s: 600).on.size
    assert_empty jits([{at_s: JitSamples::START_S, host: "web-1", pid: 0, name: "container", vcpus: 2}],
      life(0, base: {server: "puma"})).lives
  end

  def test_where_all_have_ended_those_that_ended_last
    found = jits(life(0, ended: true), life(1, ended: true), life(2, minutes: 2, ended: true))
    assert_equal ["worker 0", "worker 1"], found.on.map(&:name)
    assert_equal 3, found.servers.first.ended.size
  end

  def test_what_one_tells
    facts = jits(life).on.first.facts
    memory_bytes = (32 * JitSamples::MIB * 1.3).round
    assert_equal ["yjit", "holdup", "process", 32 * JitSamples::MIB, memory_bytes, false, 0],
      [*facts.to_h.values_at(:kind, :by, :at), facts.total_bytes, facts.memory_bytes, facts.saturated,
        facts.code_gcs]
    assert_equal [3, 4, 5], jits(life).on.first.ruby.numbers
    assert_nil jits(life, settings: []).on.first.ruby
  end

  def test_a_server
    server = jits(life(0), life(1, jit_code_bytes: 30 * JitSamples::MIB), life(2, minutes: 5, ended: true),
      life(3, base: JitSamples::OFF)).servers.first
    assert_equal ["puma", 2, 1, 2, 0, 30_000],
      [server.name, server.on.size, server.off.size, server.warm, server.saturated, server.units_per_life]
    assert_equal 1, jits(life(0, jit_compile_ns: ->(age_s) { age_s }), life(1)).servers.first.saturated,
      "full, whatever its limit is"
    assert_equal 10 * JitSamples::MIB, server.median { |life| life.facts.code_bytes }
    assert_equal [JitSamples::START_S * 1_000_000_000, ["default"]],
      [server.since_ns, server.all(:limit_from)]
    assert_equal({60 => 1000.0, 600 => 1.0}, server.warm_up([60, 600, 3600]))
  end
end
