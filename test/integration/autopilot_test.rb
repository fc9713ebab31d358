# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"
require "support/piloted_server"
require "puma/const"

# What the autopilot sets in a real cluster of two workers under load, and that it never stays: whatever dies.
# Turns and leases take seconds here. The candidate and the verdict are scripted, the rest is real: the
# collector runs in a process of its own and dies by SIGKILL.
class AutopilotIntegrationTest < Minitest::Test
  include ServerSteps
  include PilotedServer

  # Long enough for a collector that has no CPU for seconds: a machine that runs tests is busy.
  LEASE_S = 8
  # Workers of a busy machine see a plan seconds later; one whose lease is over by then is not followed.
  SEEN_LEASE_S = 20
  # Longer than a test waits: what ends such a plan is not its lease.
  LONG_LEASE_S = 2 * WaitUntil::PATIENCE_S
  # Long enough for the twenty requests that say something, with one thread on a slow machine.
  WATCH_S = 4
  # Of their answers, where two of three windows have more than 5 % that are too slow.
  SEEN_BY_CLIENTS = 0.02
  GOAL = "p95=300ms threads=1..4 turn=4 window=1 lease=#{LEASE_S}".freeze
  # Configured in puma.rb.
  CONFIGURED = 3

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_facts
    {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => 2, "threads" => CONFIGURED}
  end

  # A server under load with the autopilot on, whose threads are looked at all the time. The load leaves the
  # CPU to the collectors, whose leases are what is tested.
  def piloted(path: measured_path, goal: GOAL, clients: 4, stamped: false, pause_s: 0.1)
    skip "Puma 8 changes its threads" unless Puma::Const::VERSION.to_i >= 8
    serve(HOLDUP_AUTOPILOT: goal) do |app|
      complete(app)
      @seen = []
      traffic = ClientTraffic.to(app, path, clients:, stamped:, pause_s:)
      yield app, traffic
      assert_empty @seen.flatten.uniq - (1..4).to_a, "outside of the range"
      app.wait { threads(app) == [CONFIGURED] }
    rescue RuntimeError => error
      raise error.class, "#{error.message}\n#{collectors_log(app)}"
    ensure
      traffic&.stop
      collectors.each { |pid| kill(pid) }
    end
  end

  # @return [Array<Integer>] different numbers of threads of the workers, as Puma has them
  def threads(app)
    found = app.live.filter_map { |entry| entry.read(&:setting)&.[]("threads") }.uniq.sort
    @seen << found
    found
  end

  # A plan as the collector keeps it, with a lease.
  def keep(app, value, lease_s: 60)
    lease = Holdup::PlanLease.new(leased_s: Time.now.to_i, lease_s:)
    files(app).kept_file.write(Holdup::ExperimentPlan.new(id: "k#{value}#{rand(999)}", lever: "threads",
      values: [CONFIGURED, value], turns: nil, lease:, by: "test", why: "chaos"))
  end

  def test_a_lease_that_nobody_renews_ends_and_nothing_outside_of_the_range_is_set
    piloted do |app|
      keep(app, 2, lease_s: SEEN_LEASE_S)
      app.wait { app.log.include?("its lease was not renewed") }
      app.wait { threads(app) == [CONFIGURED] }
      keep(app, 9)
      app.wait { app.log.include?("it sets 9 threads, and config.autopilot allows 1..4") }
      assert_equal [CONFIGURED], threads(app)
      assert_match(/threads 3 -> 2, kept \(test: chaos\)/, app.log)
      why = "(its lease was not renewed for #{SEEN_LEASE_S} s)"
      assert_match(/autopilot \w+ ends: threads 2 -> 3, as configured #{Regexp.escape(why)}/, app.log)
      collect(app)
      assert_equal [[:kept, 3, 2, :autopilot, 2], [:ends, 2, 3, :lease, 2]], changes_by_event(app)
    end
  end

  def test_freezing_and_a_worker_killed_in_the_middle_of_a_change
    piloted do |app|
      keep(app, 2, lease_s: LONG_LEASE_S)
      app.wait { threads(app).include?(2) }
      replaced(app, [1]) { Process.kill(:KILL, pids(app).fetch(1)) }
      app.wait { app.live.size == 2 && threads(app) == [2] }
      files(app).freeze_changes("test")
      app.wait { threads(app) == [CONFIGURED] }
    end
  end

  # A request waits for 60 ms, and each worker has four clients: four threads keep the promise, one does not
  # (240 ms). With more clients the queue would never be empty, and Puma trims no thread.
  def test_a_candidate_that_is_bad_on_purpose_is_taken_back_by_the_workers
    goal = GOAL.sub("p95=300ms", "p95=200ms").sub("window=1", "window=#{WATCH_S}")
    load = {path: "/stream", clients: 8, stamped: true, pause_s: ClientTraffic::PAUSE_S}
    piloted(goal:, **load) do |app, traffic|
      keep(app, 4, lease_s: LONG_LEASE_S)
      app.wait { threads(app) == [4] || files(app).taken_back.any? }
      looked_until_s = now_s + 3 * WATCH_S
      app.wait { threads(app) && now_s > looked_until_s }
      # A busy machine may make four threads slow too: then the clients have seen it.
      early = files(app).taken_back.map(&:id)
      assert_operator traffic.share_longer_than(0.2), :>, SEEN_BY_CLIENTS if early.any?
      keep(app, 1, lease_s: LONG_LEASE_S)
      found = app.wait { files(app).taken_back.reject { |one| early.include?(one.id) }.first }
      app.wait { threads(app) == [CONFIGURED] }
      assert_equal 1, found.value
      assert_includes app.log, "over p95=200ms in two windows of #{WATCH_S} s with 1 threads"
    end
  end

  # In the phase of equals, in turns, and when something is kept.
  thorough def test_a_collector_killed_in_each_phase_leaves_nothing
    piloted do |app|
      %i[equal different kept].each do |phase|
        File.delete(*Dir.glob("#{app.dir}/autopilot.*"), *Dir.glob("#{app.dir}/experiment.plan"))
        pid = collector(app, verdict: (phase == :kept) ? "better" : "running")
        app.wait { reached?(app, phase) }
        kill(pid)
        app.wait { threads(app) == [CONFIGURED] && plan(app)&.turn(Time.now.to_i).nil? }
      end
    end
  end

  thorough def test_a_better_candidate_is_kept_by_the_collector_that_leads_and_by_the_next
    piloted do |app|
      first = collector(app, verdict: "better")
      app.wait { plan(app) }
      second = collector(app, verdict: "better")
      app.wait { files(app).kept_file.read && threads(app) == [2] }
      id = files(app).kept_file.read.id
      kill(first)
      looked_until_s = now_s + 2 * LEASE_S
      app.wait { threads(app) && now_s > looked_until_s }
      app.wait { threads(app) == [2] }
      assert_equal id, files(app).kept_file.read.id
      assert_equal changes(app).map(&:source).uniq, changes(app).map(&:source)
      assert_equal [2], changes(app).select { |change| change.event == :kept }.map(&:to).uniq
      said = collectors_log(app)
      assert_equal 1, said.scan("threads 3 -> 2 in turns").size, said
      kill(second)
    end
  end

  # Rounds fail, so no lease is renewed; what is kept returns with the store.
  thorough def test_while_the_store_is_down_the_configured_threads_are_back
    skip "no PostgreSQL here: bin/setup --services installs it" unless PostgresServer.installed?
    PostgresServer.run do |postgres|
      piloted do |app|
        Holdup::Store.open(postgres.url).tap(&:migrate!).close
        collector(app, verdict: "better", store: postgres.url)
        app.wait { files(app).kept_file.read && threads(app) == [2] }
        postgres.crash
        app.wait { threads(app) == [CONFIGURED] }
        postgres.start_again
        app.wait { threads(app) == [2] }
        collectors.each { |pid| kill(pid) }
      end
    end
  end

  private

  def reached?(app, phase)
    return files(app).kept_file.read && threads(app) == [2] if phase == :kept
    one = plan(app)
    return one&.turns&.phase_at(Time.now.to_i) == :equal if phase == :equal
    threads(app) == [2]
  end
end
