# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::LiveExperimentsReaderTest < Minitest::Test
  NOW_S = 1_790_000_000
  TURNS = Holdup::Switchback.after(NOW_S - 600, turn_s: 180, settle_s: 30, cycles: 20, equal_cycles: 3,
    seed: 1)
  PLAN = Holdup::ExperimentPlan.new(id: "k3f9", lever: "threads", values: [5, 3], turns: TURNS,
    lease: Holdup::PlanLease.new(leased_s: NOW_S, lease_s: 60), by: "ops", why: "")

  # A store with what processes wrote.
  class Written
    def initialize(changes, samples)
      @changes = changes
      @samples = samples
    end

    def audit_entries(from_s, to_s, events:)
      @changes.select { |change| change.at_s.between?(from_s, to_s) && events.include?(change.event) }
    end

    def processes(from_s, to_s) = @samples.select { |sample| sample[:at_s].between?(from_s, to_s) }
  end

  def test_one_that_runs
    reader = reader(begins)
    assert_equal [["k3f9", PLAN, [7]]], reader.running.map { |one| [one.id, one.plan, one.pids] }
    assert_empty reader.kept
  end

  def test_none_runs_when_its_processes_are_gone
    assert_empty reader(begins, alive_at_s: NOW_S - 200).running
  end

  def test_one_that_ended_or_whose_time_is_over_does_not_run
    assert_empty reader(begins, change(:ends, at_s: NOW_S - 10)).running
    assert_empty reader(begins, now_s: TURNS.ends_s).running
  end

  # Worker 8 started when worker 7 had ended its part.
  def test_an_end_before_the_last_beginning_is_that_of_an_earlier_process
    later = begins(at_s: NOW_S - 60).with(pid: 8)
    assert_equal [7, 8], reader(begins, change(:ends, at_s: NOW_S - 120), later).running.first.pids
  end

  def test_what_is_kept
    reader = reader(begins, change(:kept, at_s: NOW_S - 60))
    assert_equal ["k3f9"], reader.kept.map(&:id)
    assert_empty reader.running
    assert_empty reader(begins, change(:kept, at_s: NOW_S - 60), change(:ends, at_s: NOW_S - 5)).kept
  end

  # Its beginning is no longer in the log.
  def test_without_a_plan_it_does_not_run
    reader = reader(change(:ends, at_s: NOW_S - 60))
    assert_nil reader.to_a.first.plan
    assert_empty reader.running
  end

  def test_the_latest_is_first_and_hosts_are_apart
    other = begins(at_s: NOW_S - 400).with(host: "web-2")
    assert_equal %w[web-2 web-1], reader(begins, other).to_a.map(&:host)
  end

  def test_where_threads_are_set
    reader = reader(begins, facts: {"lever.threads.where": "config/puma.rb:3"})
    assert_equal "config/puma.rb:3", reader.where
    assert_nil reader(begins).where
  end

  private

  def reader(*changes, alive_at_s: NOW_S, now_s: NOW_S, facts: {})
    samples = changes.map { |change| {host: change.host, pid: change.pid, at_s: alive_at_s, **facts} }
    samples = samples.map { |sample| sample.merge(at_s: now_s) } if now_s > NOW_S
    Holdup::Experiment::LiveExperimentsReader.new(Written.new(changes, samples), now_s:)
  end

  def begins(at_s: NOW_S - 590) = change(:begins, at_s:).with(begins: PLAN.to_text)

  def change(event, at_s:)
    Holdup::AuditEntry.new(at_s:, host: "web-1", pid: 7, event:, plan_id: "k3f9", lever: "threads", from: 5,
      to: 3, who: :experiment, by: "ops")
  end
end
