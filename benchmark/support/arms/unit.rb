# frozen_string_literal: true

# unit.rb TOOL (units|requests) COUNT: prints what one of them costs in time and objects. And what two
# readings of the thread's CPU clock cost, which part running from waiting for a CPU.

require "json"
require "clocked"
require "objects"
require "measured_loops"

tool = Bench::Tools.find(ARGV[0])
tool.start
work = Bench::MeasuredLoops.new(tool)
work_on = {"units" => work.method(:units), "requests" => work.method(:requests)}.fetch(ARGV[1])
count = ARGV[2].to_i

puts JSON.generate(
  ns: Bench::Clocked.slices(count, &work_on),
  allocated: Bench::Objects.allocated(count, &work_on),
  retained: Bench::Objects.retained(count, &work_on),
  clocks: Bench::Clocked.slices(count) { |times| GvlWork.read_cpu_clock(2 * times) }
)
tool.stop
