# frozen_string_literal: true

require "test_helper"
require "contracts/job_worker_contract"

# A real Que on a real PostgreSQL, in an application with Active Job and with jobs of its own.
class QueIntegrationTest < Minitest::Test
  include JobWorkerContract

  one_ruby

  WORK = [*ServedApp::BUNDLED, "que", "-q", "mails", "-q", "reports", "-q", "urgent", "-w", "3",
    "./config/environment.rb"].freeze

  def runner = "que"

  def exec_gems = %w[rails pg que json].to_h { |name| [name, version(name)] }

  def exec_command = %w[bundle exec que -q mails -q reports -q urgent -w 3 ./config/environment.rb]

  def plain = "3.times { PlainJob.enqueue }; BrokenPlainJob.enqueue"

  def plain_queue_times = 3

  def threads = 3

  def quiet = :TERM

  def unfinished
    "Que.execute(\"SELECT COUNT(*) AS size FROM que_jobs " \
      "WHERE finished_at IS NULL AND expired_at IS NULL\").first[:size]"
  end

  def pool = "queues mails,reports,urgent"

  def serve(*command, processes: 1, env: {WITH_HOLDUP: "1"}, &)
    command = WORK if command.empty?
    JobApp.serve(*command, adapter: "que", processes:, env: env.transform_keys(&:to_s), &)
  end

  def test_tells_its_threads
    serve do |app|
      setting = app.settings.first
      assert_equal ["que", 3, "mails,reports,urgent"], setting.values_at("jobs", "job_threads", "job_queues")
      assert_equal 3, app.profiles.first["lever.threads.value"]
    end
  end
end
