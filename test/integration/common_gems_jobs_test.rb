# frozen_string_literal: true

require "test_helper"

# Every way to start a job runner, in an application with the gems that Rails applications use most: all jobs
# and the requests that enqueue them are measured, once. `bin/test` runs six of these ways,
# `bin/test --thorough` enough for each command, and in Puma for each value with each value of another column,
# and `bin/test --nightly` all others.
class CommonGemsJobsTest < Minitest::Test
  JOBS = 7

  EAGER_LOAD = {"eagerly_loaded" => true, "lazily_loaded" => false}.freeze

  # Runners in processes of their own: what is typed.
  SIDEKIQ = %w[bundle exec sidekiq -t 1].freeze
  SOLID_QUEUE = {
    "bin_jobs" => %w[bin/jobs],
    "bin_jobs_async" => %w[bundle exec bin/jobs --mode async],
    "rake_solid_queue" => %w[bundle exec rake solid_queue:start],
    "rails_solid_queue" => %w[bin/rails solid_queue:start]
  }.freeze
  GOOD_JOB = {
    "good_job" => %w[bundle exec good_job start],
    "good_job_with_subprocesses" => %w[bundle exec good_job start --subprocesses 2]
  }.freeze

  # Runners in Puma.
  IN_PUMA = {
    "solid_queue_forked_by_puma" => {"SOLID_QUEUE_IN_PUMA" => "fork"},
    "solid_queue_in_puma" => {"SOLID_QUEUE_IN_PUMA" => "async"},
    "good_job_in_puma" => {"GOOD_JOB_EXECUTION_MODE" => "async"}
  }.freeze
  PUMA = %w[bundle exec puma -C config/puma.rb].freeze
  PLUGIN = {"with_the_plugin" => {"WITH_PLUGIN" => "1"}, "without_the_plugin" => {}}.freeze
  WORKERS = {
    "single" => {},
    "preloading" => {"WORKERS" => "2", "PRELOAD" => "1"},
    "not_preloading" => {"WORKERS" => "2"}
  }.freeze

  QUICK = [
    %w[sidekiq eagerly_loaded],
    %w[bin_jobs lazily_loaded],
    %w[good_job lazily_loaded],
    %w[solid_queue_forked_by_puma without_the_plugin lazily_loaded single],
    %w[solid_queue_in_puma with_the_plugin lazily_loaded preloading],
    %w[good_job_in_puma without_the_plugin eagerly_loaded not_preloading]
  ].freeze
  THOROUGH = [
    %w[bin_jobs_async eagerly_loaded],
    %w[rake_solid_queue eagerly_loaded],
    %w[rails_solid_queue lazily_loaded],
    %w[bin_jobs_with_two_workers eagerly_loaded],
    %w[good_job_with_subprocesses eagerly_loaded],
    %w[solid_queue_forked_by_puma with_the_plugin eagerly_loaded preloading],
    %w[solid_queue_in_puma without_the_plugin eagerly_loaded single],
    %w[good_job_in_puma with_the_plugin lazily_loaded single],
    %w[good_job_in_puma without_the_plugin lazily_loaded preloading],
    %w[good_job_in_puma with_the_plugin lazily_loaded not_preloading]
  ].freeze

  def self.way(*words, &test)
    name = define_method(:"test_#{words.join("_")}", &test)
    return if QUICK.include?(words)
    THOROUGH.include?(words) ? thorough(name) : nightly(name)
  end

  EAGER_LOAD.each do |words, eager_load|
    way("sidekiq", words) do
      RedisServer.run do |redis|
        assert_runner(SIDEKIQ, "sidekiq", eager_load:, env: {"REDIS_URL" => redis.url})
      end
    end

    SOLID_QUEUE.each do |name, command|
      way(name, words) { assert_runner(command, "solid_queue", eager_load:) }
    end

    way("bin_jobs_with_two_workers", words) do
      env = {"JOB_CONCURRENCY" => "2"}
      assert_runner(SOLID_QUEUE.fetch("bin_jobs"), "solid_queue", eager_load:, processes: 2, env:)
    end

    GOOD_JOB.each do |name, command|
      processes = command.last.to_i.clamp(1, 2)
      env = {"GOOD_JOB_EXECUTION_MODE" => "external"}
      way(name, words) { assert_runner(command, "good_job", eager_load:, processes:, env:) }
    end
  end

  IN_PUMA.keys.product(PLUGIN.keys, EAGER_LOAD.keys, WORKERS.keys).each do |words|
    # Solid Queue's plugin needs the application in Puma's master.
    next if words.first.start_with?("solid_queue") && words.last == "not_preloading"
    way(*words) { assert_in_puma(*words) }
  end

  # @param command [Array<String>]
  # @param runner [String]
  def assert_runner(command, runner, eager_load:, processes: 1, env: {})
    env = {"ENQUEUE" => JOBS.to_s, **env}
    CommonGemsApp.serve(*command, adapter: runner, eager_load:, processes:, env:, web: false) do |app|
      app.wait { app.done == JOBS }
      app.stop
      assert_equal({job: JOBS}, app.measured)
      assert_equal [runner], app.said
    end
  end

  def assert_in_puma(runner, plugin, eager_load, workers)
    env = {**IN_PUMA.fetch(runner), **PLUGIN.fetch(plugin), **WORKERS.fetch(workers)}
    adapter = runner[/\A(solid_queue|good_job)/]
    eager_load = EAGER_LOAD.fetch(eager_load)
    CommonGemsApp.serve(*PUMA, adapter:, eager_load:, processes: processes(env), env:) do |app|
      JOBS.times { assert_equal "202", app.get("/orders/create").code }
      app.wait { app.done == JOBS && app.measured.values.sum >= 2 * JOBS }
      assert_equal({request: JOBS, job: JOBS}, app.measured)
      forked = [adapter] if env["SOLID_QUEUE_IN_PUMA"] == "fork"
      assert_equal ["puma", *forked], app.said.sort
    end
  end

  # Solid Queue's plugin runs in Puma's master: in the only process, or in one that serves no requests.
  def processes(env)
    workers = env.fetch("WORKERS", "1").to_i
    in_puma = env["SOLID_QUEUE_IN_PUMA"]
    (in_puma == "fork" || (in_puma && workers > 1)) ? workers + 1 : workers
  end
end
