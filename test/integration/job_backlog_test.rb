# frozen_string_literal: true

require "test_helper"

# How many jobs wait, asked of the tables of a real Solid Queue and GoodJob on a real PostgreSQL.
class JobBacklogIntegrationTest < Minitest::Test
  # Longer than any test: what a test enqueues stays where it is.
  LONG_S = 300
  # A look at the database takes at most a hundredth of the time: after a slow one, the next comes late.
  NEXT_LOOK_S = 120
  MANY = 100_000
  LOOKS = {
    "solid_queue" => "Holdup::Servers::SolidQueue::ReadyJobs",
    "good_job" => "Holdup::Servers::GoodJob::QueuedJobs"
  }.freeze
  PUMA_FREE = {"solid_queue" => [*ServedApp::BUNDLED_RUBY, "bin/jobs", "--mode", "async"],
               "good_job" => [*ServedApp::BUNDLED, "good_job", "start"]}.freeze

  # An application that enqueues, without a runner.
  class Enqueuing
    def initialize(adapter)
      @adapter = adapter
      @database = JobDatabase.create(adapter)
      env = {"ADAPTER" => adapter, "DATABASE_URL" => @database, "RAILS_ENV" => "production"}
      @client = JobApp::AppClient.for(adapter, env)
      call("require \"holdup\"; require \"holdup/agent/servers/#{adapter}\"")
    end

    # @return [String] the inspected result
    def call(line) = @client.call(line.tr("\n", ";"), @database)

    # @return [Hash{String => (Integer, Boolean)}] by queue: jobs, and whether one has waited for 20 s
    def waiting(queues = nil)
      call("#{LOOKS.fetch(@adapter)}.table.call(#{queues.inspect}, now_s: Time.now.to_f)" \
        ".transform_values { |found| [found.size, found.oldest_ns > 20_000_000_000] }.inspect").then { |text|
        eval(eval(text)) # rubocop:disable Security/Eval
      }
    end

    # @return [Float] seconds
    def look_seconds
      call("began = Process.clock_gettime(Process::CLOCK_MONOTONIC)\n" \
        "#{LOOKS.fetch(@adapter)}.table.call(nil, now_s: Time.now.to_f)\n" \
        "Process.clock_gettime(Process::CLOCK_MONOTONIC) - began").to_f
    end
  end

  LOOKS.each_key do |adapter|
    define_method(:"test_#{adapter}_counts_what_waits_by_queue") do
      app = Enqueuing.new(adapter)
      assert_equal({}, app.waiting)
      app.call("3.times { MailJob.perform_later }")
      app.call("2.times { ReportJob.set(priority: 7).perform_later }")
      app.call("ReportJob.set(wait: 1.hour).perform_later")
      assert_equal({"mails" => [3, false], "reports" => [2, false]}, app.waiting)
      assert_equal({"mails" => [3, false], "other" => [0, false]}, app.waiting(%w[mails other]))
    end

    define_method(:"test_a_runner_of_#{adapter}_says_what_waits") do
      env = {"WITH_HOLDUP" => "1", "GOOD_JOB_POLL_INTERVAL" => "1"}
      JobApp.serve(*PUMA_FREE.fetch(adapter), adapter:, processes: 1, env:) do |served|
        served.client("3.times { SlowJob.perform_later(#{LONG_S}) }")
        served.client("5.times { MailJob.perform_later }")
        # A job that came while the database was asked has waited for no time.
        # Its numbers are written one after the other.
        served.wait(NEXT_LOOK_S) do
          backlogs(served)["queues mails,urgent"]&.all? { |number| number&.positive? }
        end
        served.wait(NEXT_LOOK_S) { backlogs(served).fetch("queues mails,urgent").first == 5 }
        assert_equal [0, 0], backlogs(served).fetch("queues reports")
        served.wait { queues(served).fetch("queues mails,urgent").to_s.match?(/\A0:mails=5\b/) }
      end
    end
  end

  def test_solid_queue_leaves_out_paused_queues
    app = Enqueuing.new("solid_queue")
    app.call("MailJob.perform_later\nReportJob.perform_later")
    app.call("SolidQueue::Queue.find_by_name(\"mails\").pause")
    assert_equal({"reports" => [1, false]}, app.waiting)
  end

  def test_good_job_knows_which_pool_serves_a_queue
    app = Enqueuing.new("good_job")
    lists = {"mails,urgent" => true, "*" => true, "-mails" => false, "-reports" => true, "+mails" => true,
             "reports" => false}
    lists.each do |list, served|
      said = app.call("#{LOOKS.fetch("good_job")}.serves?(#{list.dump}, \"mails\")")
      assert_equal served.inspect, said, list
    end
  end

  def test_reads_a_part_of_a_long_backlog
    {"solid_queue" => <<~SQL, "good_job" => <<~OTHER}.each do |adapter, statement|
      INSERT INTO solid_queue_ready_executions (job_id, queue_name, priority, created_at) \
      SELECT 1000000 + n, 'q' || n % 4, n % 3, now() - interval '25 seconds' \
      FROM generate_series(1, #{MANY}) n
    SQL
      INSERT INTO good_jobs (id, queue_name, scheduled_at, created_at, updated_at, serialized_params) \
      SELECT gen_random_uuid(), 'q' || n % 4, now() - interval '25 seconds', now(), now(), '{}' \
      FROM generate_series(1, #{MANY}) n
    OTHER
      app = Enqueuing.new(adapter)
      app.call("ActiveRecord::Base.connection.execute(\"SET session_replication_role = replica\")")
      app.call("ActiveRecord::Base.connection.execute(#{statement.strip.dump})\nnil")
      app.call("ActiveRecord::Base.connection.execute(\"ANALYZE\")\nnil")
      expected = Array.new(4) { |index| ["q#{index}", [10_000, true]] }.to_h
      assert_equal expected, app.waiting, adapter
      # On a busy machine one look may take longer. Looks that read each job would all do.
      seconds = wait_until { app.look_seconds.then { |took| took if took < 1 } }
      assert_operator seconds, :>, 0, adapter
    end
  end

  private

  # @return [Hash{String => String, nil}] the queues of each pool with their jobs
  def queues(served)
    profiles = served.live.filter_map { |entry| entry.read(&:profile) }
    profiles.flat_map { |profile|
      Array.new(2) { |index| [profile["pool.#{index}"], profile["waiting.#{index}.0"]] }
    }.to_h
  end

  # @return [Hash{String => (Integer, Integer)}] jobs and age of the oldest by pool
  def backlogs(served)
    found = served.live.map { |entry| [entry.read(&:profile), entry.read(&:header)] }
    found.flat_map { |profile, header|
      header.pools.each_with_index.map { |pool, index|
        [profile && profile["pool.#{index}"], pool.values_at(:backlog, :oldest_ns)]
      }
    }.to_h
  end
end
