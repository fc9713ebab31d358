# frozen_string_literal: true

# What the collector costs: ruby benchmark/collector.rb [processes] [series]
#
# Segments of so many processes are advanced and collected into a real SQLite file, as often as ticks of ten
# seconds would in 10 minutes. In the first run every series of every process moves in every tick, which is
# the worst that can happen; in the second the same requests fall on the series as they do in applications
# (Zipf), 30 a second and process. The collector runs alone in a process of its own, with the environment it
# is started with in production; its CPU time and memory are what is printed. (In production the interval
# grows where a tick would take more than 1 % of a core.)

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__), File.expand_path("../test", __dir__))
require "rbconfig"
require "tmpdir"

TICK_S = 10
NS = 1_000_000_000

# The process that is measured: one round for each line it gets.
module Measured
  def self.run(dir, store_url, start_s)
    require "holdup/loader"
    store = Holdup::Store.open(store_url)
    directory = Holdup::Segment::Directory.new(dir)
    warnings = Holdup::Collector::RateLimitedLog.new(log: Kernel, clock: Holdup::Clock.new)
    round = Holdup::Collector::Round.new(store:, directory:, host: "bench", warnings:)
    $stdout.sync = true
    $stdin.each_line do |line|
      puts tick(round, store, start_s.to_i + line.to_i * TICK_S, line.to_i)
      # Holdup::Collector::Command does the same.
      RubyVM::YJIT.enable if line.to_i.zero? && defined?(RubyVM::YJIT.enable)
    end
  end

  def self.tick(round, store, now_s, number)
    before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    units = round.run(now_s * NS).units
    if (number % 6).zero?
      store.rollup(now_s)
      store.prune(now_s, max_bytes: 512 << 20)
    end
    [Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before,
      File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1], units].join(" ")
  end
end

# Segments of processes that have much to do.
class Fleet
  def initialize(dir, processes:, series:)
    require "support/segment_writer"
    @random = Random.new(1)
    @series = Array.new(series) { |index| ["Controller#{index}#action", Math.exp(@random.rand(13.0..18.0))] }
    @writers = Array.new(processes) { |index|
      SegmentWriter.new(dir, capacity: series + 10, worker: index, suffix: "-#{index}")
    }
    @writers.each { |writer| writer.setting = %({"ruby":"#{RUBY_VERSION}","threads":5}) }
    @zipf = (1..series).map { |rank| 1.0 / rank }.each_with_object([]) { |share, sums|
      sums << share + sums.last.to_f
    }
    @total = @zipf.last
    @ticks = 0
    @start_s = Time.now.to_i
  end

  # Every series of every process gets as many units.
  def advance_all(units)
    advance { |writer| @series.each { |name, typical_ns| units.times { record(writer, name, typical_ns) } } }
  end

  # The n-th series gets 1/n of what the first gets.
  def advance_as_applications_do(units)
    advance { |writer|
      units.times { record(writer, *@series[@zipf.bsearch_index { |share| share >= @total * @random.rand }]) }
    }
  end

  private

  def advance
    @ticks += 1
    @writers.each do |writer|
      writer.in_bulk { yield writer }
      writer.account("main", caused: @ticks * 1000, running: @ticks * 5000)
      writer.heartbeat
    end
  end

  def record(writer, name, typical_ns)
    wall = (typical_ns * Math.exp(@random.rand(-1.0..1.0) + @random.rand(-1.0..1.0))).to_i
    running = wall / 3
    stalled = wall / @random.rand(4..40)
    writer.record(
      name,
      wall:,
      running:,
      stalled:,
      idle: wall - running - stalled,
      queued: wall / 50,
      longest_hold: running / 3,
      start_ns: ((@start_s + (@ticks - @random.rand) * TICK_S) * NS).to_i,
      cpu_ns: running,
      io_ns: wall / 2,
      caused_ns: stalled,
      acquisitions: 20,
      preemptions: 1
    )
  end
end

if ARGV.first == "--measured"
  Measured.run(*ARGV.drop(1))
  exit
end

def measure(title, processes, series)
  Dir.mktmpdir("holdup-bench", File.directory?("/dev/shm") ? "/dev/shm" : nil) do |dir|
    store = File.join(dir, "store.sqlite3")
    fleet = Fleet.new(dir, processes:, series:)
    supervisor = Holdup::Runtime::CollectorSupervisor
    results = IO.popen(
      [supervisor::ENVIRONMENT, RbConfig.ruby, *supervisor::OPTIONS, __FILE__, "--measured", dir, store,
        Time.now.to_i.to_s], "r+"
    ) do |child|
      Array.new(60) do |tick|
        yield fleet
        child.puts(tick)
        child.gets.split.map(&:to_f)
      end
    end
    print_result(title, results, Dir["#{store}*"].sum { |file| File.size(file) })
    tell_unit_samples(store)
  end
end

def print_result(title, results, bytes)
  settled = results.drop(12).map(&:first).sort
  puts "#{title}, #{results.last[2].to_i} requests a tick"
  puts format("  CPU of one core: %.2f %% (median tick %.0f ms, slowest %.0f ms)",
    settled.sum / settled.size / TICK_S * 100, settled[settled.size / 2] * 1000, settled.last * 1000)
  puts format("  RSS: %.0f MB at most; store after %d simulated minutes: %.1f MB",
    results.map { |_, rss, _| rss }.max / 1024, results.size * TICK_S / 60, bytes / 1e6)
end

def tell_unit_samples(store)
  require "sqlite3"
  database = SQLite3::Database.new(store)
  bytes, blocks, seen = database.get_first_row("SELECT sum(bytes), count(*), max(seen) FROM unit_samples")
  windows = database.get_first_value("SELECT count(*) FROM windows WHERE seconds = 60")
  puts format(
    "  Unit samples: %.1f KB for %d blocks of ten minutes, drawn from up to %d units; %.0f bytes a " \
    "window", bytes / 1e3, blocks, seen, bytes.fdiv(windows)
  )
ensure
  database&.close
end

require "holdup/agent/runtime/collector_supervisor"
processes, series = [[ARGV[0], 16], [ARGV[1], 100]].map { |given, default| Integer(given || default) }
title = "#{processes} processes x #{series} series"
measure("#{title}, 20 units in each, every tick", processes, series) { |fleet| fleet.advance_all(20) }
measure("#{title}, 30 units a second and process", processes, series) { |fleet|
  fleet.advance_as_applications_do(30 * TICK_S)
}
