# frozen_string_literal: true

# instructions_pairs.rb COUNT THREADS...: in a forked process for each number of threads, each thread has
# units in which it lets the others run so often; one thread alone lets go of the GVL and takes it back.
# Prints which processes they are.

require "json"
require "forked"
require "tools"

count = ARGV.shift.to_i
tool = Bench::Tools.find("holdup")
# They wait for each other, one after the other: each wait passes over a hold of each other thread.
pass = lambda do |threads, units|
  start = Queue.new
  workers = Array.new(threads) do |number|
    Thread.new do
      start.pop
      units.times do
        handle = Holdup::Probe.enter
        count.times { Thread.pass }
        Holdup::Probe.record(handle, 2, "Job#{number}", nil, nil, false)
      end
    end
  end
  start.close
  workers.each(&:join)
end
alone = lambda do
  handle = Holdup::Probe.enter
  GvlWork.release(count)
  Holdup::Probe.record(handle, 2, "Alone", nil, nil, false)
end
UNITS = 5
pids = ARGV.to_h do |threads|
  pid = Bench::Forked.once do
    tool.start
    tool.settle
    (threads == "1") ? alone.call : pass.call(threads.to_i, UNITS)
  end
  [threads, pid]
end
puts JSON.generate(pids)
