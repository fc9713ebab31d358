# frozen_string_literal: true

require "test_helper"
require "contracts/job_runner_contract"
require "pg/version"
require "rails/version"
require "solid_queue/version"

class SolidQueueIntegrationTest < Minitest::Test
  include JobRunnerContract
  include DoctorJit

  PUMA = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb"].freeze

  def exec_gems
    {"rails" => Rails::VERSION::STRING, "pg" => PG::VERSION, "solid_queue" => SolidQueue::VERSION}
  end

  def exec_command = %w[bin/jobs]

  def workers = [*ServedApp::BUNDLED_RUBY, "bin/jobs"]

  def unfinished
    "SolidQueue::Job.where(finished_at: nil).count"
  end

  def stoppable?(_app, _births) = true

  def serve(*command, processes: 2, env: {WITH_HOLDUP: "1"}, &)
    command = workers if command.empty?
    JobApp.serve(*command, adapter: "solid_queue", processes:, env: env.transform_keys(&:to_s), &)
  end

  def test_forked_workers
    serve(env: {WITH_HOLDUP: "1", JOB_CONCURRENCY: "1", HOLDUP_JIT: "on"}) do |app|
      app.client("2.times { SlowJob.perform_later(1) }")
      app.wait {
        app.snapshots.any? { |snapshot| snapshot.header.pools.first&.values_at(:max, :busy) == [3, 2] }
      }
      app.client(JobRunnerContract::MIXED)
      app.counted(JobRunnerContract::UNITS)
      assert_the_facts_of_workers(app)
      wait_for_jits(app)
      assert_on(examine(app), parent: "off")
      assert_no_slower_stop(seconds { app.stop })
      assert_the_units(app, "SlowJob")
      assert_equal 2, app.counts["SlowJob"]
      assert_equal [[0, true], [1, true]],
        app.snapshots.map { |snapshot|
          [snapshot.header.worker_index,
            snapshot.header.closed?]
        }.sort_by(&:first)
      assert_empty app.processes
    end
  end

  # Its API has no way to change the number of its threads, so arms are processes.
  def test_says_why_no_experiment_changes_its_threads_and_takes_arms_by_process
    env = {WITH_HOLDUP: "1", JOB_CONCURRENCY: "1", HOLDUP_ARM: "three", HOLDUP_TICK_SECONDS: "0.1"}
    serve(env:) do |app|
      from_s = Time.now.to_i / 120 * 120
      turns = Holdup::Switchback.new(from_s:, turn_s: 60, settle_s: 15, cycles: 5)
      plan = Holdup::ExperimentPlan.new(id: "x7k2", lever: "threads", values: [3, 2], turns:,
        by: "test", why: "")
      Holdup::ExperimentPlan::PlanFile.new(app.dir).write(plan)
      app.wait { app.log.include?("experiment x7k2 is not followed") }
      assert_match(/: this server can't change its threads while it runs; give processes different/, app.log)
      assert_equal ["three"], app.settings.map { |setting| setting["arm"] }.uniq
      app.stop
    end
  end

  def assert_the_facts_of_workers(app)
    settings = app.settings.sort_by { |setting| setting["job_threads"] }
    reports = ["solid_queue", SolidQueue::VERSION, 2, 2, "reports"]
    mails = ["solid_queue", SolidQueue::VERSION, 3, 2, "mails,urgent"]
    assert_equal [reports, mails],
      settings.map { |setting|
        setting.values_at("jobs", "jobs_version", "job_threads", "job_processes",
          "job_queues")
      }
    mails = app.profiles.find { |profile| profile["pool.0"] == "queues mails,urgent" }
    assert_equal [3, "config/queue.yml:6", 1, "config/queue.yml:7"],
      mails.values_at(*%w[threads
        processes].flat_map { |name| ["lever.#{name}.value", "lever.#{name}.where"] })
    assert_equal ["JOB_CONCURRENCY=N", "solid_queue_variable", "processes", "mails,urgent"],
      mails.values_at(*%w[write how how.word how.queues].map { |fact| "lever.processes.#{fact}" })
  end

  def test_asynchronous_workers_share_a_process
    serve(*workers, "--mode", "async", processes: 1) do |app|
      app.client(JobRunnerContract::MIXED)
      app.counted(JobRunnerContract::UNITS)
      assert_equal [[5, 1, "mails,urgent;reports"]],
        app.settings.map { |setting| setting.values_at("job_threads", "job_processes", "job_queues") }
      profile = app.wait { app.profiles.find { |known| known["pool.1"] } }
      assert_equal ["queues mails,urgent", "queues reports"], profile.values_at("pool.0", "pool.1").sort
      assert_equal "config/queue.yml:10", profile["lever.threads (reports).where"]
      app.stop
      assert_the_units(app)
      assert_equal [[-1, true]],
        app.snapshots.map { |snapshot| [snapshot.header.worker_index, snapshot.header.closed?] }
    end
  end

  def test_inside_of_puma_as_threads
    serve(*PUMA, processes: nil,
      env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", PLUGIN_MODE: "async"}) do |app|
      3.times { app.get("/enqueue") }
      app.get("/now")
      assert_equal({"MailJob" => 4}, app.counted({"MailJob" => 4}))
      assert_equal [["puma", "solid_queue", 2, 5]],
        app.settings.map { |setting| setting.values_at("server", "jobs", "threads", "job_threads") }
      assert_equal "web", app.profiles.first["pool.0"]
      app.stop
      assert_equal({"VisitsController#create" => 3, "VisitsController#show" => 1},
        app.requests.to_h { |slot| [slot.series.name, slot.count] })
      assert_equal({"push SolidQueue" => 3}, app.calls_of("VisitsController#create"))
      assert_equal 1, app.snapshots.size
    end
  end

  def test_in_a_cluster_of_puma
    serve(*PUMA, processes: nil,
      env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", PLUGIN_MODE: "fork", WORKERS: "1"}) do |app|
      app.wait { app.live_workers == [0, 0, 1] }
      3.times { app.get("/enqueue") }
      app.counted({"MailJob" => 3})
      assert_equal [%w[jobs solid_queue], %w[jobs solid_queue], %w[server puma]],
        app.settings.flat_map { |setting| setting.slice("server", "jobs").to_a }.sort
      app.stop
      assert_equal({"MailJob" => 3}, app.counts)
    end
  end

  # The master runs the jobs; workers that it forks while it measures have none of its threads.
  def test_as_threads_of_the_master_of_a_cluster
    serve(*PUMA, processes: nil,
      env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", PLUGIN_MODE: "async", WORKERS: "1"}) do |app|
      app.wait { app.live_workers == [-1, 0] }
      3.times { app.get("/enqueue") }
      app.counted({"MailJob" => 3})
      Process.kill(:KILL, victim = app.pid_of(0))
      app.wait { app.live_workers == [-1, 0] && ![nil, victim].include?(app.pid_of(0)) }
      app.wait {
        app.settings.map { |setting|
          setting.values_at("server",
            "job_threads")
        }.sort_by(&:to_s) == [["puma", nil], [nil, 5]]
      }
      assert_equal [{"MailJob" => 3}, 3], [app.counts, app.snapshots.size]
    end
  end
end
