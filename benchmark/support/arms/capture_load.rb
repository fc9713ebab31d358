# frozen_string_literal: true

# capture_load.rb TOOL ROUNDS: some 100,000 events a second on a stack as deep as that of a Rails request,
# next to a thread that wakes up now and then and wants the GVL. Prints the CPU time of the process for a
# round, in nanoseconds: threads of a tool count.

require "json"
require "clocked"
require "tools"

DEPTH = 100
STEPS = 20_000 # some 25 us of Ruby
WAKE_S = 0.005

def nested(depth, &work) = depth.zero? ? work.call : nested(depth - 1, &work)

def work(rounds)
  rounds.times do
    STEPS.times { nil }
    GvlWork.release(1)
  end
end

rounds = ARGV[1].to_i
tool = Bench::Tools.find(ARGV[0])
tool.start
Thread.new { loop { sleep(WAKE_S) } }
nanoseconds = nested(DEPTH) { Bench::Clocked.slices(rounds) { |count| work(count) } }
puts JSON.generate(nanoseconds)
$stdout.flush
exit!(0)
