# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/good_job"

# With stand-ins for GoodJob's objects; the real ones are in test/integration/good_job_test.rb.
class Holdup::Servers::GoodJobTest < Minitest::Test
  Scheduler = Data.define(:name, :max_threads, :running) do
    def running? = running

    def stats
      {queues: name, max_threads:, active_threads: 1, total_executions_count: 7}
    end
  end
  Configuration = Data.define(:threads, :queue_string, :lower_thread_priority, :subprocesses)
  EarlierConfiguration = Data.define(:max_threads, :queue_string, :lower_thread_priority)

  def setup
    @root = Dir.mktmpdir
    FileUtils.mkdir_p(File.join(@root, "config/initializers"))
  end

  def teardown = FileUtils.remove_entry(@root)

  def threads(configuration, embedded: false)
    schedulers = [
      Scheduler.new("old", 9, false),
      Scheduler.new("mails", 3, true),
      Scheduler.new("*", 5, true)
    ]
    Holdup::Servers::GoodJob::SchedulerPools.new(schedulers, configuration, embedded:)
  end

  def levers(configuration)
    levers = Holdup::Servers::GoodJob::Levers.new(threads(configuration), configuration, root: @root)
    levers.to_a.to_h { |lever| [lever.name, lever] }
  end

  def test_pools_of_the_schedulers_that_run
    pools = threads(Configuration.new(5, "*", nil, 0)).pools
    assert_equal [["queues mails", 3, 1, 7], ["queues *", 5, 1, 7]],
      pools.map { |pool| [pool.name, pool.max, pool.busy, pool.served] }
  end

  def test_finds_the_pool_by_the_thread_name
    thread = Thread.new { Thread.stop }
    names = ["GoodJob::Scheduler(queues=mails,urgent max_threads=2)-thread-1", "puma srv tp 001", nil]
    pools = names.map do |name|
      thread.name = name
      Holdup::Servers::GoodJob::SchedulerPools.pool_of(thread)
    end
    assert_equal ["queues mails,urgent", nil, nil], pools
  ensure
    thread.kill
  end

  def test_threads_in_a_web_server_have_a_lower_priority_unless_configured
    {[nil, true] => -3, [nil, false] => 0, [true, false] => -3,
     [false, true] => 0}.each do |(setting, embedded), priority|
      assert_equal priority, threads(Configuration.new(5, "*", setting, 0), embedded:).priority
    end
  end

  def test_levers_name_their_lines
    File.write(File.join(@root, "config/application.rb"),
      "\n# config.good_job.max_threads = 1\nconfig.good_job.max_threads = 3\n")
    File.write(File.join(@root, "config/initializers/jobs.rb"),
      "Rails.application.config.good_job = {queues: \"mails:3;*\", subprocesses: 2}\n")
    known = levers(Configuration.new(5, "mails:3;*", nil, 2))
    places = known.values_at("threads", "queues", "processes", "priority")
    jobs = "config/initializers/jobs.rb:1"
    assert_equal ["config/application.rb:3", jobs, jobs, nil], places.map(&:where)
    assert_equal [3, "mails:3;*", 2, 0], places.map(&:value)
    assert_equal "config.good_job.threads = N", known["threads"].write
  end

  def test_numbers_in_the_list_of_queues_are_the_ones_that_count
    known = levers(Configuration.new(5, "mails:3;*", nil, 0))
    assert_equal "good_job start --queues \"mails:N;*\"", known["threads (mails)"].write
    assert_equal "GOOD_JOB_QUEUES", known["threads (mails)"].facts["variable"]
    assert_match(/--queues "mails:3;\*:N"\z/, known["threads (*)"].write)
    ["mails,urgent", "a:1;b:1;c:1;d:1;e:1"].each do |list|
      assert_equal %w[threads queues processes priority], levers(Configuration.new(5, list, nil, 0)).keys,
        list
    end
    File.write(File.join(@root, "config/application.rb"), "config.good_job.queues = \"*:2\"\n")
    one = levers(Configuration.new(5, "*:2", nil, 0))["threads (*)"]
    assert_equal ["config.good_job.queues = \"*:N\"", "config/application.rb:1"], [one.write, one.where]
  end

  def test_levers_in_the_words_of_the_version
    earlier = levers(EarlierConfiguration.new(5, "*", nil))["threads"]
    assert_equal ["good_job start --max-threads N", "config.good_job.max_threads", "GOOD_JOB_MAX_THREADS"],
      [earlier.write, *earlier.facts.values_at("setting", "variable")]
    now = levers(Configuration.new(5, "*", nil, 0))["threads"]
    assert_equal ["good_job start --threads N", "config.good_job.threads", "GOOD_JOB_THREADS"],
      [now.write, *now.facts.values_at("setting", "variable")]
    assert_equal [:good_job_processes, 1],
      levers(EarlierConfiguration.new(5, "*", nil))["processes"].then { |lever| [lever.how, lever.value] }
  end
end
