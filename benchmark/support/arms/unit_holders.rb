# frozen_string_literal: true

# unit_holders.rb THREADS UNITS ROUNDS: prints the nanoseconds of CPU that a unit takes, while so many threads
# let each other run: each unit waits twice for all others. That is how much more units with their waits take
# than the same waits in one unit. Both take turns in this process, in changing order.

require "json"
require "spread"
require "tools"

WAITS = 2
JOB = 2
threads, count, rounds = ARGV.map { |text| Integer(text) }
Bench::Tools.find("holdup").start
probe = Holdup::Probe
unit = lambda do |waits|
  handle = probe.enter
  waits.times { Thread.pass }
  probe.record(handle, JOB, "ReportJob", nil, nil, false)
end
units = -> { count.times { unit.call(WAITS) } }
waits = -> { unit.call(count * WAITS) }

work = Array.new(threads) { Queue.new }
done = Queue.new
work.each { |loops| Thread.new { loop { done << loops.pop.call } } }
nanoseconds = lambda do |units_or_waits|
  before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
  work.each { |loops| loops << units_or_waits }
  threads.times { done.pop }
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) - before
end
more = lambda do |one, other|
  first, second, third, fourth = [one, other, other, one].map(&nanoseconds)
  (second + third - first - fourth) / 2.0 / (threads * count)
end

[units, waits].each(&nanoseconds)
pairs = Array.new(rounds) { (more.call(waits, units) - more.call(units, waits)) / 2 }
puts JSON.generate(Bench::Spread.of(pairs).median)
$stdout.flush
exit!(0) # as release.rb
