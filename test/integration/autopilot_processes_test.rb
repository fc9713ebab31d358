# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"
require "support/piloted_server"

# What the autopilot sets in a real cluster of each Puma: one process more or less, by signals that the master
# sends to itself. Nothing stays, whatever dies. Leases take seconds here.
class AutopilotProcessesTest < Minitest::Test
  include ServerSteps
  include PilotedServer
  include PumaRestarts

  # Long enough for a collector that has no CPU for seconds: a machine that runs tests is busy.
  LEASE_S = 8
  # A master of a busy machine sees a plan seconds later; one whose lease is over by then is not followed.
  SEEN_LEASE_S = 20
  # Longer than a test waits: what ends such a plan is not its lease.
  LONG_LEASE_S = 2 * WaitUntil::PATIENCE_S
  GOAL = "p95=30s processes=1..4 turn=4 window=1 lease=#{LEASE_S}".freeze
  # Configured in puma.rb, as indexes of workers.
  CONFIGURED = [0, 1].freeze
  MORE = [0, 1, 2].freeze

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_env
    return {} if @puma == "puma8"
    {"BUNDLE_GEMFILE" => File.join(ServedApp::ROOT, "gemfiles", "#{@puma}.gemfile")}
  end

  # Ruby 3.4's IO#close can hang in a worker that shuts down (ServedApp::Stuck); Puma then kills it.
  def closes_segments? = false

  def piloted(puma = "puma7", goal: GOAL, **env)
    @puma = puma
    serve(HOLDUP_AUTOPILOT: goal, **env) do |app|
      complete(app)
      yield app
      app.wait { app.live_workers.size == CONFIGURED.size } # Puma ends the youngest, whatever its index is
      assert_empty app.log.lines.grep(/Exception|Error|can't be followed/)
    rescue RuntimeError => error
      raise error.class, "#{error.message}\n#{collectors_log(app)}"
    ensure
      collectors.dup.each { |pid| kill(pid) }
    end
  end

  def reach(app, workers)
    app.wait { app.live_workers == workers }
  end

  # A plan as the collector keeps it, with a lease.
  def keep(app, value, lease_s: LONG_LEASE_S)
    lease = Holdup::PlanLease.new(leased_s: Time.now.to_i, lease_s:)
    files(app).kept_file.write(Holdup::ExperimentPlan.new(id: "k#{value}#{rand(999)}", lever: "processes",
      values: [CONFIGURED.size, value], turns: nil, lease:, by: "test", why: "chaos"))
  end

  def settings(app, fact) = app.live.map { |entry| entry.read(&:setting)[fact] }.uniq

  def assert_more_and_back(puma, **env)
    piloted(puma, **env) do |app|
      keep(app, 3, lease_s: SEEN_LEASE_S)
      reach(app, MORE)
      app.wait { settings(app, "workers") == [3] }
      reach(app, CONFIGURED)
      app.wait { settings(app, "workers") == [2] }
      said = app.log
      assert_includes said, "autopilot: processes 2 -> 3 (SIGTTIN of the master to itself)"
      assert_includes said, "autopilot: processes 3 -> 2 (SIGTTOU of the master to itself)"
      assert_match(/autopilot \w+: processes 2 -> 3, kept \(test: chaos\)/, said)
      over = "processes 3 -> 2, as configured (its lease was not renewed for #{SEEN_LEASE_S} s)"
      assert_includes said, over
      keep(app, 9)
      app.wait { app.log.include?("it sets 9 processes, and config.autopilot allows 1..4") }
      assert_equal CONFIGURED, app.live_workers
      keep(app, 1)
      reach(app, [0])
      files(app).freeze_changes("test")
      reach(app, CONFIGURED)
      collect(app)
      # By the two workers that were there; the third and its end are a part of the change.
      kept = [[:kept, 2, 3, :autopilot], [:kept, 2, 1, :autopilot]]
      assert_equal kept, changes_by_event(app).map { |entry| entry.first(4) }.select { |one| one[0] == :kept }
    end
  end

  def test_puma_7 = assert_more_and_back("puma7")

  def test_puma_6 = assert_more_and_back("puma6")

  thorough def test_puma_8 = assert_more_and_back("puma8")

  thorough def test_workers_that_are_forked_by_a_worker
    assert_more_and_back("puma7", PRELOAD: "0", FORK_WORKER: "1")
  end

  # In a turn of the candidate, and when something is kept.
  thorough def test_a_collector_killed_in_an_experiment = assert_killed("running")

  thorough def test_a_collector_killed_while_something_is_kept = assert_killed("better")

  def assert_killed(verdict)
    piloted do |app|
      pid = collector(app, lever: "processes", value: 3, verdict:)
      app.wait { (verdict == "running") ? plan(app)&.turns : files(app).kept_file.read }
      reach(app, MORE)
      kill(pid)
      # A turn of the other arm has the configured number too.
      app.wait { app.log.include?("its lease was not renewed for #{LEASE_S} s") }
      reach(app, CONFIGURED)
    end
  end

  # The master goes on, or another program takes its place.
  def test_a_deploy_in_between
    piloted(PRELOAD: "0") do |app|
      keep(app, 3)
      reach(app, MORE)
      %i[phased hot].each do |way|
        @more = MORE
        send(way, app)
        reach(app, MORE)
      ensure
        @more = nil
      end
      files(app).freeze_changes("test")
      reach(app, CONFIGURED)
    end
  end

  def server_workers = @more || CONFIGURED

  def test_a_worker_that_is_killed_is_replaced_and_counted_once
    piloted do |app|
      keep(app, 3)
      reach(app, MORE)
      victim = pids(app).fetch(1)
      Process.kill(:KILL, victim)
      app.wait { app.live_workers == MORE && pids(app)[1] != victim }
      assert_equal 1, app.log.scan("SIGTTIN of the master").size
      files(app).freeze_changes("test")
    end
  end

  # Without the variable: the application sets it, and the master does not load the application.
  def test_a_master_that_does_not_know_the_goal_changes_nothing_and_workers_say_why
    piloted(goal: "off", PRELOAD: "0") do |app|
      assert_equal ["puma_before_8"], app.live.map { |entry| entry.read(&:profile)["live.none"] }.uniq
    end
  end
end
