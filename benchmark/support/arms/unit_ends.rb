# frozen_string_literal: true

# unit_ends.rb (named|open) HOLDERS PAIRS: prints how many nanoseconds longer the end of a unit takes that has
# waited for so many threads than the end of one that has waited for none, and how long the latter takes. Both
# take turns, each right after the others had the GVL: one waits for them in its unit, the other one before.
# The others are outside of units and have a name, or each has a unit open, whose name is not known yet.

require "json"
require "tools"

JOB = 2
others, holders, pairs = ARGV[0], *ARGV.drop(1).map { |text| Integer(text) }
Bench::Tools.find("holdup").start
probe = Holdup::Probe
ended = false
threads = Array.new(holders) do |number|
  Thread.new do
    probe.label(Thread.current, "thread:other#{number}")
    probe.enter if others == "open"
    Thread.pass until ended
  end
end
Thread.pass until threads.all?(&:alive?)
probe.tick([])

now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }
# What the beginning of a unit brings into the processor's caches is there for both.
time_end = lambda do |handle, name|
  probe.cancel(probe.enter)
  before = now.call
  probe.record(handle, JOB, name, nil, nil, false)
  now.call - before
end
waited = lambda do
  handle = probe.enter
  Thread.pass
  time_end.call(handle, "WaitedJob")
end
alone = lambda do
  Thread.pass
  time_end.call(probe.enter, "AloneJob")
end
median = ->(times) { times.sort[times.size / 2] }

200.times { [waited, alone].each(&:call) }
times = Array.new(pairs) { [waited.call, alone.call] }
over = median.call(times.map { |one, other| one - other })
puts JSON.generate({"over" => over, "alone" => median.call(times.map(&:last))})
$stdout.flush
exit!(0) # as release.rb
