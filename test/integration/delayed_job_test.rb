# frozen_string_literal: true

require "test_helper"
require "contracts/job_worker_contract"

# A real Delayed Job on a real PostgreSQL, in an application with Active Job and with jobs of its own.
class DelayedJobIntegrationTest < Minitest::Test
  include JobWorkerContract

  one_ruby

  WORK = [*ServedApp::BUNDLED, "rake", "jobs:work"].freeze

  def runner = "delayed_job"

  def exec_gems = %w[rails pg delayed_job_active_record].to_h { |name| [name, version(name)] }

  def exec_command = %w[bundle exec rake jobs:work]

  def plain
    "3.times { Delayed::Job.enqueue(PlainJob.new, queue: \"mails\") }; " \
      "Delayed::Job.enqueue(BrokenPlainJob.new, queue: \"mails\")"
  end

  def plain_queue_times = 3

  def threads = 1

  def quiet = :TERM

  def unfinished = "Delayed::Job.count"

  def pool = "queues *"

  def serve(*command, processes: 1, env: {WITH_HOLDUP: "1"}, &)
    command = WORK if command.empty?
    JobApp.serve(*command, adapter: "delayed_job", processes:, env: env.transform_keys(&:to_s), &)
  end

  # They leave the process group of the command, which ends before they run.
  def test_workers_that_its_command_forks_have_their_number
    Dir.mktmpdir do |folder|
      command = [*ServedApp::BUNDLED_RUBY, "bin/delayed_job", "--pid-dir", folder, "--log-dir", folder]
      start = "#{command.join(" ")} -n 2 start && exec sleep 1000"
      serve("sh", "-c", start, processes: 2) do |app|
        expected = {"MailJob" => 6, "PlainJob" => 3, "BrokenPlainJob" => 1}
        app.client("6.times { MailJob.perform_later }; #{plain}")
        assert_equal expected, app.counted(expected)
        assert_equal [0, 1], app.live_workers
        assert_equal 2, app.snapshots.size
      ensure
        ended(app.live.map(&:pid))
      end
    end
  end

  def ended(pids)
    pids.each { |pid| Process.kill(:TERM, pid) }
    wait_until { pids.none? { |pid| File.exist?("/proc/#{pid}") } }
  end

  def test_names_delayed_calls_by_their_method
    serve do |app|
      app.client("Ledger.delay.close")
      app.counted("Ledger.close" => 1)
      assert_equal({"Ledger.close" => 1}, app.counts)
    end
  end
end
