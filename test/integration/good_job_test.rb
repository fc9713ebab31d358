# frozen_string_literal: true

require "test_helper"
require "contracts/job_runner_contract"
require "good_job/version"
require "pg/version"
require "rails/version"

class GoodJobIntegrationTest < Minitest::Test
  include JobRunnerContract
  include DoctorJit

  PROGRAM = [*ServedApp::BUNDLED, "good_job", "start"].freeze
  PUMA = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb"].freeze

  def exec_gems
    {"rails" => Rails::VERSION::STRING, "pg" => PG::VERSION, "good_job" => GoodJob::VERSION}
  end

  def exec_command = %w[bundle exec good_job start]

  def workers = [*PROGRAM, "--subprocesses", "2"]

  # A worker that gets its signal earlier never ends: it looks for it only after its boot.
  def stoppable?(app, births)
    app.log.scan("GoodJob started subprocess").size == births
  end

  def unfinished
    "GoodJob::Job.where(finished_at: nil).count"
  end

  def serve(*command, processes: 1, env: {WITH_HOLDUP: "1"}, &)
    command = PROGRAM if command.empty?
    env = {GOOD_JOB_POLL_INTERVAL: "1", LOG_LEVEL: "info", **env}.transform_keys(&:to_s)
    JobApp.serve(*command, adapter: "good_job", processes:, env:, &)
  end

  def test_a_process_of_its_own
    serve(*PROGRAM) do |app|
      app.client("2.times { SlowJob.perform_later(1) }")
      app.wait { pools(app).first&.values_at(:max, :busy) == [3, 2] }
      app.client("2.times { ThrottledJob.perform_later }; #{JobRunnerContract::MIXED}")
      # GoodJob puts the second one back: a run without an error.
      app.counted({**JobRunnerContract::UNITS, "ThrottledJob" => 2})
      assert_the_facts(app)
      assert_no_slower_stop(seconds { assert_equal 0, app.stop.exitstatus })
      assert_the_units(app, "SlowJob", "ThrottledJob")
      assert_equal 2, app.counts["SlowJob"]
      assert_equal [[-1, true]],
        app.snapshots.map { |snapshot| [snapshot.header.worker_index, snapshot.header.closed?] }
      assert_empty app.processes
    end
  end

  def pools(app)
    app.snapshots.flat_map { |snapshot| snapshot.header.pools }
  end

  def assert_the_facts(app)
    setting = app.settings.first
    profile = app.profiles.first
    assert_equal ["good_job", GoodJob::VERSION, 5, "mails,urgent;reports", 0],
      setting.values_at("jobs", "jobs_version", "job_threads", "job_queues", "job_priority")
    refute setting.key?("job_processes")
    assert_equal ["queues mails,urgent", "queues reports"], profile.values_at("pool.0", "pool.1")
    assert_equal [3, 1, 0, true],
      profile.values_at(*%w[threads.value processes.value priority.value
        priority.live].map { |fact| "lever.#{fact}" })
    assert_equal "GOOD_JOB_THREADS", profile["lever.threads.how.variable"]
  end

  def test_subprocesses_know_their_number
    serve(*workers, processes: 2, env: {WITH_HOLDUP: "1", HOLDUP_JIT: "on"}) do |app|
      counted = -> { app.settings.map { |setting| setting["job_processes"] }.zip(app.live_workers) }
      app.wait { counted.call.flatten.none?(&:nil?) } # one is measured from its birth, before it knows
      assert_equal [[2, 0], [2, 1]], counted.call
      wait_for_jits(app)
      assert_on(examine(app), parent: "off")
    end
  end

  # Answers are sent before their units end.
  def answered(app, expected)
    app.wait { app.requests.to_h { |slot| [slot.series.name, slot.count] } == expected }
  end

  def test_threads_of_puma
    serve(*PUMA, processes: nil,
      env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", GOOD_JOB_EXECUTION_MODE: "async"}) do |app|
      3.times { app.get("/enqueue") }
      app.get("/now")
      app.counted({"MailJob" => 4})
      assert_equal [["puma", 2, "good_job", 5, -3]],
        app.settings.map { |setting|
          setting.values_at("server", "threads", "jobs", "job_threads",
            "job_priority")
        }
      answered(app, {"VisitsController#create" => 3, "VisitsController#show" => 1})
      assert_equal({"push GoodJob" => 3}, app.calls_of("VisitsController#create"))
      assert_equal [{"MailJob" => 4}, 1], [app.counts, app.snapshots.size]
    end
  end

  def test_threads_of_puma_workers
    serve(*PUMA, processes: nil,
      env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", GOOD_JOB_EXECUTION_MODE: "async", WORKERS: "2"}) do |app|
      app.wait { app.live_workers == [0, 1] }
      6.times { app.get("/enqueue") }
      app.counted({"MailJob" => 6})
      app.wait {
        app.settings.map { |setting| setting.values_at("server", "jobs") } == [%w[puma good_job]] * 2
      }
      app.stop
      assert_equal({"MailJob" => 6}, app.counts)
    end
  end

  def test_inline_jobs_are_units_inside_of_requests
    serve(*PUMA, processes: nil,
      env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", GOOD_JOB_EXECUTION_MODE: "inline"}) do |app|
      3.times { app.get("/enqueue") }
      answered(app, {"VisitsController#create" => 3})
      refute_includes app.calls_of("VisitsController#create"), "push GoodJob"
      assert_equal({"MailJob" => 3}, app.counts)
      assert_nil app.snapshots.first.setting["jobs"]
    end
  end
end
