# frozen_string_literal: true

require "json"
require_relative "command_line"

# What `holdup doctor --json` shows of the JIT in the processes of a real server. The test includes
# it.
module DoctorJit
  include CommandLine

  private

  # @param app [ServedApp]
  # @return [Hash] what the doctor says
  def examine(app)
    JSON.parse(holdup("doctor", "--json", "--dir", app.dir, "--store", "memory:", now_s: Time.now.to_i).out)
  end

  def found(said)
    said["findings"].map { |finding| finding["key"] }.grep(/\Ajit/)
  end

  def jits(said)
    said["processes"].select { |process| process["alive"] }.map { |process| process["jit"] }
  end

  # Switched on by config.jit in each of these processes, since a moment ago, and doing something.
  # @param said [Hash]
  # @param parent [String, nil] what it was in the process that they were forked from
  def assert_on(said, parent:)
    assert_equal [[true, "yjit", "holdup", "process", parent, true, false]],
      jits(said).map { |jit|
        jit.values_at("on", "kind", "by", "at", "parent", "effective",
          "saturated")
      }.uniq
    jits(said).each { |jit| assert_recent(jit) }
  end

  # The first of them, forked by the master, has it by itself; those that it forked have it from there, since
  # the same moment.
  # @param said [Hash] with one process or more of each
  def assert_on_in_the_first(said)
    first, *others = jits(said).sort_by { |jit| jit["at"] }.reverse
    assert_equal ["holdup", "process", "off", true], first.values_at("by", "at", "parent", "effective")
    assert_equal [["holdup", "parent", "on", true, first["since"]]],
      others.map { |jit| jit.values_at("by", "at", "parent", "effective", "since") }.uniq
    assert_recent(first)
  end

  def assert_recent(jit)
    assert_in_delta(Time.now.to_f, Time.new(jit["since"]).to_f, 120)
  end

  # Until each process that takes units has reported its JIT.
  def wait_for_jits(app)
    app.wait { app.live.all? { |entry| entry.read(&:header).gauges[:jit_enabled] } }
  end
end
