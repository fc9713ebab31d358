# frozen_string_literal: true

# calls_instructions.rb COUNT ARM...: makes so many calls of each arm, in forked processes; prints which they
# are.

require "json"
require "active_job" # before the forks
require "call_arms"
require "forked"
require "tools"

count = ARGV.shift.to_i
tool = Bench::Tools.find("holdup")
pids = ARGV.to_h do |arm|
  runs = Bench::Forked.steps(count) do |times|
    tool.start
    tool.settle
    Holdup::Probe.enter
    arms = Bench::CallArms.new(Holdup.recorder)
    ActiveSupport::Notifications.unsubscribe(Bench::CallArms::EVENT)
    arms.subscribe
    arms.find(arm).call(times)
  end
  [arm, runs]
end
puts JSON.generate(pids)
