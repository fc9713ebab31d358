# frozen_string_literal: true

# sidekiq.rb TOOL (empty|redis) COUNT THREADS: empties a queue of that many jobs, and a quarter more before to
# warm up; prints the CPU time of a job and the jobs per second.

require "json"
require "logger"
require "sidekiq"
require "sidekiq/embedded"
require "tools"

# Counts the jobs that were run, and takes both clocks when the measured part begins and ends.
class Course
  def initialize(warm_up, count)
    @marks = [warm_up, warm_up + count]
    @count = count
    @done = 0
    @lock = Mutex.new
    @over = Queue.new
    @readings = []
  end

  def step
    @lock.synchronize do
      @done += 1
      next unless @marks.include?(@done)
      @readings << [
        Process::CLOCK_PROCESS_CPUTIME_ID,
        Process::CLOCK_MONOTONIC
      ].map { |clock| Process.clock_gettime(clock) }
      @over.push(true) if @readings.size == 2
    end
  end

  def wait = @over.pop

  def result
    cpu, wall = @readings.transpose.map { |before, after| after - before }
    {us: cpu / @count * 1e6, rate: @count / wall}
  end
end

class EmptyJob
  include Sidekiq::Job

  def perform = COURSE.step
end

class RedisJob
  include Sidekiq::Job

  QUESTIONS = 5

  def perform
    QUESTIONS.times { Sidekiq.redis { |redis| redis.call("GET", "nothing") } }
    COURSE.step
  end
end

job = {"empty" => EmptyJob, "redis" => RedisJob}.fetch(ARGV[1])
count, threads = ARGV.values_at(2, 3).map(&:to_i)
warm_up = count / 4
COURSE = Course.new(warm_up, count)

tool = Bench::Tools.find(ARGV[0])
tool.start
sidekiq = Sidekiq.configure_embed do |config|
  config.logger = Logger.new(File::NULL, level: Logger::WARN)
  config.concurrency = threads
  tool.jobs(config)
end
job.perform_bulk(Array.new(warm_up + count) { [] })
sidekiq.run
COURSE.wait
puts JSON.generate(COURSE.result)
$stdout.flush
tool.stop
exit!(0) # what is left of Sidekiq's own stop is not of the bench
