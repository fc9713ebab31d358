# frozen_string_literal: true

# Jobs of a fixed time for Active Job, in the application of the tests.
#   jobs.rb run    runs those of the queue BENCH_QUEUE in BENCH_THREADS threads
#   jobs.rb feed   reads `fill QUEUE COUNT`, `left QUEUE` and `clear QUEUE`, and answers each with a line
require_relative "../../../test/integration/apps/jobs/config/environment"
require_relative "../exact"

# So many steps, each of them some CPU time, one question to the database and a wait.
class FixedTimeJob < ActiveJob::Base
  # @param steps [Integer]
  # @param micros [Integer] of CPU time in each step
  # @param wait_ms [Numeric] in each step
  def perform(steps, micros, wait_ms)
    steps.times do
      Bench::Exact.compute(micros)
      ActiveRecord::Base.connection_pool.with_connection { |connection| connection.select_value("SELECT 1") }
      Bench::Exact.wait(wait_ms)
    end
  end
end

# Waits most of its time.
class FixedMailJob < FixedTimeJob; end

# Half and half.
class FixedSyncJob < FixedTimeJob; end

# Computes most of its time.
class FixedReportJob < FixedTimeJob; end

# What Active Job has no name for.
module TableQueues
  CYCLE = ([[FixedMailJob, 4, 400, 5]] * 10 + [[FixedSyncJob, 6, 1_000, 2]] * 7 +
    [[FixedReportJob, 2, 8_000, 6]] * 3).freeze
  AT_ONCE = 500
  SEED = 1

  module_function

  # @return [Integer] jobs that it put there
  def fill(queue, count)
    random = Random.new(SEED)
    cycles = Array.new((Integer(count) / CYCLE.size.to_f).ceil) { CYCLE.shuffle(random:) }
    jobs = cycles.flatten(1).map { |job, *arguments| job.new(*arguments).set(queue:) }
    jobs.each_slice(AT_ONCE) { |some| ActiveJob.perform_all_later(some) }
    jobs.size
  end

  # @return [Integer] jobs that wait
  def left(queue) = waiting(queue).count

  # @return [Integer] jobs that it removed
  def clear(queue) = waiting(queue).delete_all

  def waiting(queue)
    return SolidQueue::ReadyExecution.where(queue_name: queue) if ENV.fetch("ADAPTER") == "solid_queue"
    GoodJob::Job.where(queue_name: queue, performed_at: nil, finished_at: nil)
  end
  private_class_method :waiting
end

# Runs jobs until it is stopped.
module TableRunner
  module_function

  def call
    return solid_queue if ENV.fetch("ADAPTER") == "solid_queue"
    require "good_job/cli"
    queues = "#{ENV.fetch("BENCH_QUEUE")}:#{ENV.fetch("BENCH_THREADS")}"
    GoodJob::CLI.start(["start", "--queues", queues, "--poll-interval", "1"])
  end

  def solid_queue
    require "solid_queue/cli"
    SolidQueue::Cli.start(["start", "--config_file", File.join(__dir__, "queue.yml"), "--skip-recurring"])
  end
end

if ARGV.shift == "run"
  TableRunner.call
else
  $stdout.sync = true
  puts "ready"
  while (line = $stdin.gets)
    puts TableQueues.public_send(*line.split)
  end
end
