# frozen_string_literal: true

require "holdup/loader"
require_relative "simulated_arms"

# What a collector stores of an experiment whose arms take turns on two Pumas of a host: minutes, samples of
# the processes and the audit log. The candidate is as much better as the test says.
class TurnsRecording
  HOST = "web-1"
  PIDS = [4711, 4712].freeze
  NS = 1_000_000_000

  attr_reader :plan

  # @param minutes [Integer] that have passed since the experiment began
  # @param lease [Holdup::PlanLease, nil] of the autopilot
  def initialize(minutes:, cycles: 20, effect: 0.3, lease: nil, why: "5 threads stall each other")
    @minutes = minutes
    @arms = SimulatedArms.new(minutes:, effect:)
    turns = Holdup::Switchback.new(from_s: SimulatedArms::START_S, turn_s: 120, settle_s: 60, equal_cycles: 6,
      cycles:, seed: 7)
    @plan = Holdup::ExperimentPlan.new(id: "x7k2", lever: "threads", values: [5, 3], turns:, lease:,
      by: lease ? "collector 4700@web-1" : "deploy@web-1", why:)
  end

  def from_s = SimulatedArms::START_S

  def to_s = from_s + @minutes * 60

  # @param more [Array<Hash>] further entries of the audit log, of each process
  def fill(store, more: [])
    windows = @arms.in_turns(@plan.turns).map { |window| labelled(window) }
    store.commit([*before, *windows], {}, processes: samples, audit: audit(more))
  end

  # @return [Array<Holdup::AuditEntry>]
  def audit(more = [])
    entries = [*turns, *more].select { |entry| entry[:at_s] <= to_s }.sort_by { |entry| entry[:at_s] }
    entries.flat_map { |entry| PIDS.map { |pid| {**entry, pid:} } }.map.with_index do |entry, index|
      Holdup::AuditEntry.new(source: "0123456789abcdef/audit:#{index}", host: HOST, plan_id: @plan.id,
        lever: "threads", who: actor, by: @plan.by, **entry)
    end
  end

  private

  def actor = @plan.autopilot? ? :autopilot : :experiment

  def turns
    count = 2 * (@plan.turns.equal_cycles + @plan.turns.cycles)
    seconds = Array.new(count) { |index| from_s + 120 * index }
    values = seconds.map { |at_s| @plan.values[(@plan.turns.setting_at(at_s) == :control) ? 0 : 1] }
    begins = {at_s: from_s, event: :begins, from: 5, to: values.first, why: @plan.why, begins: @plan.to_text}
    changes = seconds.zip(values).each_cons(2).filter_map do |(_, before), (at_s, value)|
      {at_s:, event: :turn, from: before, to: value, why: "its turn"} unless before == value
    end
    [begins, *changes]
  end

  # The hour before it.
  def before
    setting = Holdup::Setting.new(attributes: {"server" => "puma", "threads" => 5})
    SimulatedArms.new(minutes: 60, seed: 2).windows(:control).map do |window|
      window.with(setting:, start_s: window.start_s - 3600)
    end
  end

  # The first minute of each turn passes until the pool is at its target.
  def labelled(window)
    turn = @plan.turn(window.start_s) || Holdup::ExperimentTurn.new(arm: nil, value: 5, index: 0)
    settled = turn.arm && @plan.turns.arm_at(window.start_s)
    facts = {"server" => "puma", "threads" => turn.value, "arm" => settled ? turn.arm : "changing"}
    window.with(setting: Holdup::Setting.new(attributes: facts))
  end

  def samples
    [to_s - 120, to_s - 60].product(PIDS).map do |at_s, pid|
      {at_s:, host: HOST, pid:, start: 5, since_s: from_s, name: "worker", server: "puma", generation: 0,
       cpu_ns: NS, rss_bytes: 250_000_000, "lever.threads.value": 5,
       "lever.threads.where": "config/puma.rb:3"}
    end
  end
end
