# frozen_string_literal: true

# instructions_unit.rb COUNT TOOL...: runs so many units with each tool, in forked processes; prints which
# they are.

require "json"
require "forked"
require "measured_loops"

count = ARGV.shift.to_i
# Gems are loaded before the fork: only starting them differs between the processes.
tools = ARGV.to_h { |name| [name, Bench::Tools.find(name)] }

pids = tools.transform_values do |tool|
  Bench::Forked.steps(count) do |times|
    tool.start
    tool.settle
    Bench::MeasuredLoops.new(tool).units(times)
  end
end
puts JSON.generate(pids)
