# frozen_string_literal: true

require "test_helper"
require "good_job/version"
require "pg/version"
require "rails/version"

class GoodJobIntegrationTest < Minitest::Test
  MIXED = "9.times { |number| MailJob.set(priority: number.even? ? 1 : 10).perform_later }; 3.times { ReportJob.perform_later }; FailingJob.perform_later; OuterJob.perform_later"
  # The failing job is run twice; the outer one runs a MailJob itself.
  UNITS = {"MailJob" => 10, "ReportJob" => 3, "FailingJob" => 2, "OuterJob" => 1}.freeze
  SLOWER_S = 2
  PROGRAM = %w[bundle exec good_job start].freeze
  PUMA = %w[bundle exec puma -C puma.rb].freeze

  GEMS = {"rails" => Rails::VERSION::STRING, "pg" => PG::VERSION, "good_job" => GoodJob::VERSION}.freeze

  def serve(*command, processes: 1, env: {WITH_HOLDUP: "1"}, &)
    JobApp.serve(*command, adapter: "good_job", processes:, env: {GOOD_JOB_POLL_INTERVAL: "1", **env}.transform_keys(&:to_s), &)
  end

  def test_a_process_of_its_own
    serve(*PROGRAM) do |app|
      app.client("2.times { SlowJob.perform_later(1) }")
      app.wait { pools(app).first&.values_at(:max, :busy) == [3, 2] }
      app.client("2.times { ThrottledJob.perform_later }; #{MIXED}")
      app.counted({**UNITS, "ThrottledJob" => 2}) # GoodJob puts the second one back: a run without an error
      assert_the_facts(app)
      stopped = seconds { assert_equal 0, app.stop.exitstatus }
      assert_operator stopped, :<, seconds_to_stop_without_us + SLOWER_S
      assert_the_units(app, "SlowJob" => 2)
      assert_equal [[-1, true]], app.snapshots.map { |snapshot| [snapshot.header.worker_index, snapshot.header.closed?] }
      assert_empty app.processes
    end
  end

  def pools(app) = app.snapshots.flat_map { |snapshot| snapshot.header.pools }

  def seconds
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  end

  def seconds_to_stop_without_us
    serve(*PROGRAM, processes: 0, env: {WITH_HOLDUP: "1", HOLDUP_ENABLED: "0"}) do |app|
      app.client("MailJob.perform_later")
      all_done(app)
      seconds { app.stop }
    end
  end

  def assert_the_facts(app)
    setting, profile = app.settings.first, app.profiles.first
    assert_equal ["good_job", GoodJob::VERSION, 5, "mails,urgent;reports", 0],
      setting.values_at("jobs", "jobs_version", "job_threads", "job_queues", "job_priority")
    refute setting.key?("job_processes")
    assert_equal ["queues mails,urgent", "queues reports"], profile.values_at("pool.0", "pool.1")
    assert_equal [3, 1, 0, true], profile.values_at(*%w[threads.value processes.value priority.value priority.live].map { |fact| "lever.#{fact}" })
    assert_match(/GOOD_JOB_THREADS/, profile["lever.threads.how"])
  end

  def assert_the_units(app, more = {})
    assert_equal UNITS.merge(more), app.counts.except("ThrottledJob")
    assert_equal({"MailJob" => "mails", "ReportJob" => "reports", "FailingJob" => "mails", "OuterJob" => "urgent"},
      app.units.to_h { |slot| [slot.series.name, slot.series.queue] }.except("ThrottledJob", *more.keys))
    assert_equal({"FailingJob" => 2}, app.units.to_h { |slot| [slot.series.name, slot.errors] }.reject { |_, errors| errors.zero? })
    # The nested MailJob came out of no queue.
    assert_equal [9, 3], %w[MailJob ReportJob].map { |name| app.units_of(name).sum { |slot| slot.histogram(:queued).count } }
    assert_equal({["queues mails,urgent", "1"] => 5, ["queues mails,urgent", "10"] => 4, [nil, nil] => 1}, app.apart("MailJob"))
    assert_equal({["queues reports", nil] => 3}, app.apart("ReportJob"))
  end

  def test_subprocesses_and_one_that_is_killed
    serve(*PROGRAM, "--subprocesses", "2", processes: 2, env: {WITH_HOLDUP: "1", HOLDUP_COLLECTOR: "process"}) do |app|
      app.client("5.times { MailJob.perform_later }")
      all_done(app)
      assert_equal [[2, 0], [2, 1]], app.settings.map { |setting| setting["job_processes"] }.zip(app.live_workers)
      Process.kill(:KILL, victim = app.pid_of(0))
      app.wait { app.live_workers == [0, 1] && ![nil, victim].include?(app.pid_of(0)) }
      app.client("4.times { MailJob.perform_later }")
      all_done(app)
      app.stop
      assert_equal({"MailJob" => 9}, app.carried)
      assert_empty app.segments.grep_v(/\A#{victim}-/) # that one is kept until its silence is certain
    end
  end

  # A worker that is killed earlier leaves jobs that are run again: their units are over before the runner says so.
  def all_done(app) = app.wait { app.client("GoodJob::Job.where(finished_at: nil).count") == "0" }

  def test_untouched_application
    ExecMode.command(%w[bundle exec good_job start], GEMS) do |command|
      serve(*command) do |app|
        app.client(MIXED)
        app.counted(UNITS)
        app.stop
        assert_equal UNITS, app.carried
        assert_empty app.segments
      end
    end
  end

  # Answers are sent before their units end.
  def answered(app, expected) = app.wait { app.requests.to_h { |slot| [slot.series.name, slot.count] } == expected }

  def test_threads_of_puma
    serve(*PUMA, processes: nil, env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", GOOD_JOB_EXECUTION_MODE: "async"}) do |app|
      3.times { app.get("/enqueue") }
      app.get("/now")
      app.counted({"MailJob" => 4})
      assert_equal [["puma", 2, "good_job", 5, -3]], app.settings.map { |setting| setting.values_at("server", "threads", "jobs", "job_threads", "job_priority") }
      answered(app, {"VisitsController#create" => 3, "VisitsController#show" => 1})
      assert_equal [{"MailJob" => 4}, 1], [app.counts, app.snapshots.size]
    end
  end

  def test_threads_of_puma_workers
    serve(*PUMA, processes: nil, env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", GOOD_JOB_EXECUTION_MODE: "async", WORKERS: "2"}) do |app|
      app.wait { app.live_workers == [0, 1] }
      6.times { app.get("/enqueue") }
      app.counted({"MailJob" => 6})
      app.wait { app.settings.map { |setting| setting.values_at("server", "jobs") } == [%w[puma good_job]] * 2 }
      app.stop
      assert_equal({"MailJob" => 6}, app.counts)
    end
  end

  def test_inline_jobs_are_units_inside_of_requests
    serve(*PUMA, processes: nil, env: {WITH_HOLDUP: "1", WITH_PLUGIN: "1", GOOD_JOB_EXECUTION_MODE: "inline"}) do |app|
      3.times { app.get("/enqueue") }
      answered(app, {"VisitsController#create" => 3})
      assert_equal({"MailJob" => 3}, app.counts)
      assert_nil app.snapshots.first.setting["jobs"]
    end
  end
end
