# frozen_string_literal: true

require "fileutils"
require "json"
require "socket"
require "tmpdir"
require "holdup/segment/directory"
require_relative "served_app"
require_relative "wait_until"

# A real Sidekiq in a process of its own, on a Redis of the test's, with segments in a folder of its own.
class SidekiqProcess
  APP = File.expand_path("../integration/apps/sidekiq", __dir__)
  PATIENCE_S = WaitUntil::PATIENCE_S
  RUNNING = "Running in ruby"
  COMMAND = [*ServedApp::BUNDLED, "sidekiq", "-r", "./jobs.rb"].freeze

  # The application's classes without Sidekiq's server, loaded once for all tests with the same environment.
  class PushClient
    # @param env [Hash{String => String, nil}]
    # @return [PushClient] that runs until the last test
    def self.for(env)
      @clients ||= {}
      @clients[env] ||= new(env).tap { |client| Minitest.after_run { client.stop } }
    end

    def initialize(env)
      command = [*ServedApp::BUNDLED_RUBY, "-W0", "bin/client"]
      @process = IO.popen({**env, "WITHOUT_HOLDUP" => "1"}, command, "r+", chdir: APP)
    end

    # @param script [String]
    # @param url [String] of Redis
    # @return [void] once it has run
    def call(script, url)
      @process.puts(JSON.generate([url, script]))
      raise "the client does not answer" unless @process.wait_readable(PATIENCE_S)
      raise "a client failed: #{script}" unless @process.gets == "true\n"
    end

    def stop = @process.close
  end

  # @param before [String, nil] what is pushed before it starts
  # @yieldparam sidekiq [SidekiqProcess] while it runs
  def self.run(redis, *arguments, before: nil, **options)
    sidekiq = new(redis, *arguments, **options)
    sidekiq.push(before) if before
    sidekiq.start
    yield sidekiq
  ensure
    sidekiq&.clean_up
  end

  attr_reader :dir, :pid, :root

  # @param redis [RedisServer]
  # @param arguments [Array<String>] of sidekiq
  # @param env [Hash{String => String, nil}]
  def initialize(redis, *arguments, env: {}, command: COMMAND, app: APP)
    @redis = redis
    @root = Dir.mktmpdir("holdup-sidekiq")
    @dir = File.join(@root, "segments")
    @command = [*command, *arguments]
    @app = app
    @env = {"REDIS_URL" => redis.url, "HOLDUP_DIR" => @dir, "HOLDUP_COLLECTOR" => "off",
            "HOLDUP_TICK_SECONDS" => "0.1"}.merge(env)
  end

  # @return [Integer] pid of a process that works
  def start
    before = log.scan(RUNNING).size
    @pid = Process.spawn(@env, *@command, chdir: @app, out: [log_path, "a"], err: %i[child out],
      in: File::NULL, pgroup: true)
    started.push(@pid)
    wait { log.scan(RUNNING).size > before || gone }
    @pid
  end

  # Puts jobs into their queues, from a client process's point of view.
  # @param script [String] with the classes of the application
  def push(script)
    PushClient.for(@env.except("REDIS_URL", "HOLDUP_DIR")).call(script, @redis.url)
  end

  # What has failed is due now, and the scheduler sees it at its next look.
  def make_retries_due
    wait { @redis.call("ZCARD", "retry") != ":0" }
    @redis.call("EVAL", <<~LUA, 0)
      for _, job in ipairs(redis.call('ZRANGE', 'retry', 0, -1)) do
        redis.call('ZADD', 'retry', 1, job)
      end
    LUA
  end

  def signal(name, pid = @pid) = Process.kill(name, pid)

  # @return [Process::Status]
  def stop(name = :TERM, pid: @pid)
    signal(name, pid)
    Process.wait2(pid).last.tap { started.delete(pid) }
  end

  # @return [Integer] how often jobs reported that
  def reported(what)
    @redis.get("reported:#{what}").to_i
  end

  # Says to jobs that await it that they may go on.
  def report(what)
    @redis.call("INCR", "reported:#{what}")
  end

  def reported_text(what)
    @redis.get("reported:#{what}")
  end

  def wait_reported(what, times = 1)
    wait { reported(what) >= times }
  end

  def log
    File.exist?(log_path) ? File.read(log_path) : ""
  end

  def wait(timeout = PATIENCE_S)
    deadline = now + timeout
    until (value = yield)
      raise "nothing after #{timeout} s:\n#{log}" if now > deadline
      IO.select(nil, nil, nil, 0.02)
    end
    value
  end

  def entries
    File.directory?(@dir) ? Holdup::Segment::Directory.new(@dir).entries : []
  end

  # @return [Array<Holdup::Segment::SegmentSnapshot>] of all processes
  def snapshots
    entries.map { |entry| entry.read(&:snapshot) }
  end

  # @return [Array<Holdup::Segment::Slot>] of jobs
  def units = slots(:job)

  def slots(kind)
    snapshots.flat_map(&:slots).compact.select { |slot| slot.series.kind == kind }
  end

  def unit(name)
    units.find { |slot| slot.series.name == name }
  end

  # @return [Hash{String => Array<Integer>}] units and errors by name, all processes together
  def counts
    units.each_with_object({}) { |slot, sums|
      sums[slot.series.name] = [slot.count, slot.errors].zip(sums.fetch(slot.series.name, [0, 0])).map(&:sum)
    }
  end

  # With all their children: nothing outlives a test.
  def clean_up
    started.dup.each do |pid|
      Process.kill(:KILL, -pid)
      Process.wait(pid)
    rescue SystemCallError
      next
    end
    FileUtils.rm_rf(@root)
  end

  private

  def started = @started ||= []

  # @raise [RuntimeError] when the process has ended before it ran
  def gone
    raise "it ended at once:\n#{log}" if Process.wait(@pid, Process::WNOHANG)
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def log_path = File.join(@root, "log")
end
