# frozen_string_literal: true

# fibers.rb (bare|idle|within|between) SWITCHES: prints the nanoseconds of one switch of fibers.

require "json"
require "clocked"
require "tools"
require "holdup/agent/probe"

arm = ARGV[0]
switches = ARGV[1].to_i
probe = Holdup::Probe

unless arm == "bare"
  probe.enable
  probe.follow_fibers(true)
  probe.cancel(probe.enter) # from then on the probe learns of switches
end
probe.enter if %w[within between].include?(arm)
other = Fiber.new(storage: (arm == "between") ? {} : true) do
  probe.enter if arm == "between"
  loop { Fiber.yield }
end
other.resume
puts JSON.generate(Bench::Clocked.slices(switches) { |count| (count / 2).times { other.resume } })
$stdout.flush
exit!(0)
