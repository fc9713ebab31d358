# frozen_string_literal: true

require "test_helper"
require "contracts/job_worker_contract"

# A real Resque on a real Redis, in an application with Active Job and with jobs of Resque's own.
class ResqueIntegrationTest < Minitest::Test
  include JobWorkerContract
  include SmallFileSystem

  one_ruby

  WORK = [*ServedApp::BUNDLED, "rake", "resque:work"].freeze
  JOBS = 200

  def setup
    RedisServer.shared.call("FLUSHALL")
  end

  def exec_gems = %w[rails pg resque].to_h { |name| [name, version(name)] }

  def exec_command = %w[bundle exec rake resque:work]

  def runner = "resque"

  def plain = "3.times { Resque.enqueue(PlainJob) }; Resque.enqueue(BrokenPlainJob)"

  # Resque keeps no time with a job.
  def plain_queue_times = 0

  def threads = 1

  def quiet = :QUIT

  def unfinished = "Resque.queue_sizes.values.sum + Resque.working.size"

  def pool = "queues mails,reports,urgent"

  def serve(*command, processes: 1, env: {WITH_HOLDUP: "1"}, &)
    command = WORK if command.empty?
    env = {QUEUE: "mails,reports,urgent", INTERVAL: "0.1", **env}.transform_keys(&:to_s)
    JobApp.serve(*command, adapter: "resque", processes:, env:,
      shared: {"REDIS_URL" => RedisServer.shared.url}, &)
  end

  def test_a_worker_that_does_not_fork_has_all_in_one_segment
    serve(env: {WITH_HOLDUP: "1", FORK_PER_JOB: "false"}) do |app|
      app.client("3.times { MailJob.perform_later }; #{plain}")
      expected = {"MailJob" => 3, "PlainJob" => 3, "BrokenPlainJob" => 1}
      assert_equal expected, app.counted(expected)
      assert_equal 1, app.snapshots.size
    end
  end

  def test_each_fork_is_counted_exactly_on_a_small_tmpfs
    on_tmpfs("size=64m") do |folder|
      env = {WITH_HOLDUP: "1", HOLDUP_COLLECTOR: "process", HOLDUP_DIR: File.join(folder, "segments")}
      serve(env:) do |app|
        app.client("#{JOBS}.times { Resque.enqueue(PlainJob) }")
        app.wait { app.client(unfinished) == "0" }
        app.stop(:QUIT)
        assert_equal({"PlainJob" => JOBS}, app.carried)
      end
    end
  end
end
