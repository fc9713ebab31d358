# frozen_string_literal: true

# What a job runner owes whose workers are started one by one, with jobs of its own beside Active Job's. The
# test says:
#
# - serve(*command, processes:, env:) { |app| } a JobApp that runs; without a command the usual one
# - unfinished [String] Ruby for the number of jobs that are not done, or all_done(app), which waits for them
# - exec_command [Array<String>] of a runner that does not know Holdup, exec_gems [Hash{String => String}] its
#   gems
# - quiet [Symbol] signal after which the current job ends first
# - runner [String] its name; plain_queue_times [Integer] how many of three PlainJobs have one
# - threads [Integer] how many jobs a worker runs at once
# - pool [String] name of the pool that takes all jobs
# - plain [String] Ruby that enqueues three PlainJob and one BrokenPlainJob
module JobWorkerContract
  include NoSlower

  MIXED = "4.times { MailJob.perform_later }; 3.times { ReportJob.perform_later }; OuterJob.perform_later"
  # The outer one runs a MailJob itself.
  UNITS = {"MailJob" => 5, "ReportJob" => 3, "OuterJob" => 1, "PlainJob" => 3, "BrokenPlainJob" => 1}.freeze
  QUEUES = {"MailJob" => "mails", "ReportJob" => "reports", "OuterJob" => "urgent", "PlainJob" => "mails",
            "BrokenPlainJob" => "mails"}.freeze
  SLOWER_S = 2
  LOOK_S = 0.25
  # Longer than any test.
  LONG_S = 300

  # Two boots or more, or the wait for the next look at a database.
  LONG = %i[test_stops_no_slower test_says_how_many_jobs_wait_and_for_how_long].freeze

  def self.included(test) = test.thorough(*LONG)

  def queues = QUEUES

  def version(name) = locked[/^    #{name} \(([\d.]+)\)/, 1]

  def test_counts_each_job_once_with_its_name_queue_and_pool
    serve do |app|
      app.client("#{MIXED}; #{plain}")
      assert_equal UNITS, app.counted(UNITS)
      assert_equal queues, app.units.to_h { |slot| [slot.series.name, slot.series.queue] }
      assert_equal [pool], app.units.reject { |slot| slot.series.name == "MailJob" }
        .map { |slot| slot.series.pool }.uniq
      errors = app.units.group_by { |slot| slot.series.name }.transform_values { |all| all.sum(&:errors) }
      assert_equal({"BrokenPlainJob" => 1}, errors.reject { |_, count| count.zero? })
      assert_queue_times(app)
      stopped(app)
      assert_equal UNITS, app.counts
    end
  end

  def test_the_store_has_each_job_once_after_a_kill
    serve(env: {WITH_HOLDUP: "1", HOLDUP_COLLECTOR: "process"}) do |app|
      app.client("5.times { MailJob.perform_later }; #{plain}")
      all_done(app)
      app.stop(:KILL)
      assert_equal({"MailJob" => 5, "PlainJob" => 3, "BrokenPlainJob" => 1}, app.carried)
    end
  end

  def test_the_process_table_tells_whether_a_worker_is_measured
    {{WITH_HOLDUP: "1"} => [1, true], {WITH_HOLDUP: "1", HOLDUP_ENABLED: "0"} => [0, false]}
      .each do |env, (processes, measured)|
        serve(processes:, env:) do |app|
          app.wait(every: LOOK_S) { app.running_servers.any? { |server| server.name == runner } }
          assert_equal [measured], app.running_servers.map(&:measures)
        end
      end
  end

  def test_says_how_many_jobs_wait_and_for_how_long
    serve do |app|
      app.client("#{threads}.times { SlowJob.perform_later(#{LONG_S}) }")
      app.wait { pool_at_work(app) }
      app.client("5.times { MailJob.perform_later }")
      app.wait { pool_at_work(app)&.fetch(:backlog) == 5 && pool_at_work(app)[:oldest_ns].to_i.positive? }
      assert_equal [pool], app.profiles.filter_map { |profile| profile["pool.0"] }.grep(/\Aqueues/).uniq
    end
  end

  def test_untouched_application
    ExecMode.command(exec_command, exec_gems) do |command|
      serve(*command) do |app|
        app.client("#{MIXED}; #{plain}")
        all_done(app)
        app.stop(quiet)
        assert_equal UNITS, app.carried
        assert_empty app.segments
      end
    end
  end

  def test_stops_no_slower
    first = seconds_to_stop
    assert_no_slower(SLOWER_S, with: -> { first.tap { first = nil } || seconds_to_stop },
      without: -> { seconds_to_stop(processes: 0, env: {WITH_HOLDUP: "1", HOLDUP_ENABLED: "0"}) })
  end

  private

  def all_done(app)
    app.wait { app.client(unfinished) == "0" }
  end

  # @return [Hash{Symbol => Integer}, nil] the pool of the worker, once all its threads have a job
  def pool_at_work(app)
    pools = app.snapshots.flat_map { |snapshot| snapshot.header.pools }
    pools.find { |pool| pool.values_at(:max, :busy) == [threads, threads] }
  end

  def locked = @locked ||= File.read("#{JobDatabase::GEMFILE}.lock")

  # Of Active Job's jobs, and where the runner says since when a job of its own was ready.
  def assert_queue_times(app)
    counts = %w[MailJob ReportJob PlainJob].map do |name|
      app.units_of(name).sum { |slot| slot.histogram(:queued).count }
    end
    assert_equal [4, 3, plain_queue_times], counts
  end

  def stopped(app)
    app.stop
    assert app.snapshots.all? { |snapshot| snapshot.header.closed? }, "a segment that is not closed"
  end

  def seconds_to_stop(**options)
    serve(**options) do |app|
      app.client("MailJob.perform_later")
      all_done(app)
      seconds { app.stop }
    end
  end
end
