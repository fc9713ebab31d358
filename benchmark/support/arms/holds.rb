# frozen_string_literal: true

# holds.rb TOOL TURNS: prints the CPU time of a process in which four threads wait for one that holds the GVL
# for some 40 ms TURNS times, deep in a stack; and what sampling the holds says that it cost.

require "json"
require "holdup/agent/probe"
require "tmpdir"

PROBE = Holdup::Probe
WAITERS = 4
DEPTH = 60
LOOPS = 1_000_000

def work(depth = DEPTH)
  return work(depth - 1) if depth.positive?
  LOOPS.times { |number| Math.sqrt(number) }
end

def cpu_ns = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)

def now_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

tool, turns = ARGV[0], ARGV[1].to_i
folder = Dir.mktmpdir(nil, ENV.fetch("HOLDUP_BENCH_SCRATCH"))
PROBE.open_segment(File.join(folder, "1-1.segment"), 20, 64, 0, 0)
PROBE.application_folders("#{Dir.pwd}/", [])
PROBE.enable
PROBE.sample_holds((tool == "sampled") ? 10_000_000 : 0)
WAITERS.times { Thread.new { loop { sleep 0.002 } } }
work
before = [cpu_ns, now_ns]
turns.times do
  handle = PROBE.enter
  work
  PROBE.record(handle, 1, "A#b", nil, nil, false)
  sleep 0.002
end
cpu, elapsed = [cpu_ns, now_ns].zip(before).map { |now, then_| now - then_ }
PROBE.sample_holds(0)
samples = PROBE.hold_samples
own = samples.fetch_values(:watch_ns, :stack_ns).sum
puts JSON.generate(cpu:, elapsed:, own:, taken: samples[:taken])
$stdout.flush
exit!(0)
