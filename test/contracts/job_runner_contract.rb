# frozen_string_literal: true

# What every runner of Active Job's jobs with a database of its own owes. The test says:
#
# - serve(*command, processes:, env:) { |app| } a JobApp that runs; without a command the usual one
# - unfinished [String] Ruby for the number of jobs that are not done
# - exec_command [Array<String>] of a runner that does not know Holdup, exec_gems [Hash{String => String}] its
#   gems
# - workers [Array<String>] a command with two processes that run jobs, and nothing else
# - stoppable?(app, births) whether all of so many workers have come so far that a signal stops them
module JobRunnerContract
  include NoSlower

  MIXED = [
    "9.times { |number| MailJob.set(priority: number.even? ? 1 : 10).perform_later }",
    "3.times { ReportJob.perform_later }",
    "FailingJob.perform_later",
    "OuterJob.perform_later"
  ].join("; ").freeze
  # The failing job is run twice; the outer one runs a MailJob itself.
  UNITS = {"MailJob" => 10, "ReportJob" => 3, "FailingJob" => 2, "OuterJob" => 1}.freeze
  QUEUES = {"MailJob" => "mails", "ReportJob" => "reports", "FailingJob" => "mails",
            "OuterJob" => "urgent"}.freeze
  # How much longer than without Holdup a stop may take.
  SLOWER_S = 2
  # A look at the process table reads the environment of each process of the machine.
  LOOK_S = 0.25

  def test_a_killed_worker_is_replaced_with_its_index_and_the_store_has_every_unit_once
    serve(*workers, processes: 2, env: {WITH_HOLDUP: "1", HOLDUP_COLLECTOR: "process"}) do |app|
      app.wait(every: LOOK_S) { app.running_servers.map(&:pid).sort == app.live.map(&:pid).sort }
      assert_empty app.running_servers.reject(&:measures).map(&:pid)
      app.client("5.times { MailJob.perform_later }")
      all_done(app)
      Process.kill(:KILL, victim = app.pid_of(0))
      app.wait { app.live_workers == [0, 1] && ![nil, victim].include?(app.pid_of(0)) }
      app.client("4.times { MailJob.perform_later }")
      all_done(app)
      app.wait { stoppable?(app, 3) }
      app.stop
      assert_equal({"MailJob" => 9}, app.carried)
      assert_empty app.segments
    end
  end

  def test_the_process_table_tells_who_runs_jobs_and_is_not_measured
    serve(*workers, processes: 0, env: {WITH_HOLDUP: "1", HOLDUP_ENABLED: "0"}) do |app|
      app.wait(every: LOOK_S) { app.running_servers.size == 2 }
      assert_equal [[true, false]], app.running_servers.map { |server| [server.loaded, server.measures] }.uniq
      app.wait { stoppable?(app, 2) }
      app.stop
    end
  end

  def test_untouched_application
    ExecMode.command(exec_command, exec_gems) do |command|
      serve(*command) do |app|
        app.client(MIXED)
        app.counted(UNITS)
        app.stop
        assert_equal UNITS, app.carried
        assert_empty app.segments
      end
    end
  end

  private

  # A worker that is killed earlier leaves jobs that are run again: their units are over before the runner
  # says so.
  def all_done(app)
    app.wait { app.client(unfinished) == "0" }
  end

  # @param others [Array<String>] jobs that were run too
  def assert_the_units(app, *others)
    assert_equal UNITS, app.counts.except(*others)
    assert_equal QUEUES, app.units.to_h { |slot| [slot.series.name, slot.series.queue] }.except(*others)
    assert_equal({"FailingJob" => 2},
      app.units.to_h { |slot| [slot.series.name, slot.errors] }.reject { |_, errors| errors.zero? })
    # The nested MailJob came out of no queue.
    assert_equal [9, 3],
      %w[MailJob ReportJob].map { |name| app.units_of(name).sum { |slot| slot.histogram(:queued).count } }
    assert_equal({["queues mails,urgent", "1"] => 5, ["queues mails,urgent", "10"] => 4, [nil, nil] => 1},
      app.apart("MailJob"))
    assert_equal({["queues reports", nil] => 3}, app.apart("ReportJob"))
  end

  # @param first [Float] seconds that a stop took with Holdup
  def assert_no_slower_stop(first)
    known = [first]
    assert_no_slower(SLOWER_S, with: -> { known.shift || seconds_to_stop },
      without: -> { seconds_to_stop(processes: 0, env: {WITH_HOLDUP: "1", HOLDUP_ENABLED: "0"}) })
  end

  def seconds_to_stop(**options)
    serve(**options) do |app|
      app.client("MailJob.perform_later")
      all_done(app)
      seconds { app.stop }
    end
  end
end
