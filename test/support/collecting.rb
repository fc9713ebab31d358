# frozen_string_literal: true

require "rbconfig"
require_relative "command_line"

# Starts real processes for the tests of the collector, and ends them.
module Collecting
  LIB = File.expand_path("../../lib", __dir__)
  COLLECTOR = <<~RUBY
    require "rubygems" unless ARGV[1].start_with?("/") # drivers of servers need it
    require "holdup/loader"
    log = Object.new.tap { |it| it.define_singleton_method(:warn) { |line| $stderr.puts(line) } }
    store = Holdup::Store.open(ARGV[1])
    interval = Float(ARGV[2])
    notifier = Holdup::Collector::SystemdNotifier.take_from(ENV, clock: Holdup::Clock.new)
    Holdup::Collector.new(store:, directory: ARGV[0], log:, interval:, host: "h", notifier:).run
  RUBY

  # Writes units for ever and tells each on standard output once it is recorded, as a client that got its
  # answer would. Now and then it changes a live setting.
  WRITER = <<~RUBY
    require "holdup/segment/directory"
    require "support/segment_writer"
    require "holdup/model/audit_entry"
    changes = Holdup::AuditEntry::AuditFiles.new(ARGV[0])
    writer = SegmentWriter.new(ARGV[0], namespace: Holdup::Segment::OwnerProcess.new.namespace)
    random = Random.new(Integer(ARGV[1]))
    stop = false
    trap("TERM") { stop = true }
    until stop
      name = "Controller\#{random.rand(5)}#action"
      start_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      writer.record(name, start_ns:, wall: random.rand(1..10_000_000), running: random.rand(1..90_000))
      $stdout.syswrite(".")
      if random.rand(20).zero?
        writer.heartbeat
        writer.slow(0, start_ns:, running: random.rand(1..90_000))
        changes.append(Holdup::AuditEntry.new(at_s: start_ns / 1_000_000_000, event: :turn, plan_id: "x",
          lever: "threads", from: 5, to: 3, who: :experiment))
      end
      IO.select(nil, nil, nil, random.rand(0.002))
    end
    writer.close
  RUBY

  # @param notify [String, nil] its NOTIFY_SOCKET
  def spawn_collector(dir, store, interval: 0.02, notify: nil, **options)
    spawn_ruby(COLLECTOR, dir, store, interval.to_s, env: {"NOTIFY_SOCKET" => notify}, **options)
  end

  # The same with all that this process has loaded: it is there at once.
  def fork_collector(dir, store, interval: 0.02)
    log = Object.new.tap { |made| made.define_singleton_method(:warn) { |line| $stderr.write(line, "\n") } }
    fork_child do
      Holdup::Collector.new(store: Holdup::Store.open(store), directory: dir, log:, interval:, host: "h").run
    end
  end

  # A process that leaves without a goodbye: no connection of the parent may be ended by it, and no test runs
  # at its exit.
  def fork_child
    pid = fork do
      yield
      exit!(0)
    rescue => error
      warn(error.full_message)
    ensure
      exit!(1)
    end
    started << pid
    pid
  end

  def spawn_writer(dir, seed, out:)
    spawn_ruby(WRITER, dir, seed.to_s, out:)
  end

  # With the few gems that it needs instead of Bundler.
  def spawn_ruby(script, *arguments, env: {}, **options)
    gems = CommandLine.load_path(CommandLine::NEEDED)
    paths = [LIB, File.dirname(__dir__), *gems].map { |path| "-I#{path}" }
    command = [RbConfig.ruby, "--disable=gems", *paths, "-e", script, *arguments]
    pid = Process.spawn({"RUBYOPT" => nil, **env}, *command, **options)
    started << pid
    pid
  end

  def started = @started ||= []

  def end_process(pid, signal)
    Process.kill(signal, pid)
    Process.wait(pid)
    started.delete(pid)
  end

  def end_all
    started.dup.each { |pid| end_process(pid, :KILL) }
  end
end
