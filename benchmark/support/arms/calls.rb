# frozen_string_literal: true

# calls.rb ARM COUNT: prints what one call costs in time and objects. ARM: of CallArms, or "listened"
# (one more subscriber), "OpenTelemetry", "Datadog".

require "json"
require "call_arms"
require "clocked"
require "objects"
require "tools"

TRACERS = %w[OpenTelemetry Datadog].freeze
# Calls of a request, around which a tracer has a span.
CALLS = 100

# Called at begin and end.
class EmptySubscriber
  def start(_name, _id, _payload) = nil

  def finish(_name, _id, _payload) = nil
end

arm, count = ARGV[0], ARGV[1].to_i
traced = TRACERS.include?(arm)
tool = Bench::Tools.find(traced ? arm : "holdup")
tool.start
Holdup::Probe.enter unless traced

event = Bench::CallArms::EVENT
ActiveSupport::Notifications.unsubscribe(event) unless traced
arms = Bench::CallArms.new(traced ? nil : Holdup.recorder)
arms.subscribe
ActiveSupport::Notifications.subscribe(event, EmptySubscriber.new) if arm == "listened"
calls = arms.find(arm)
work = traced ? ->(times) { (times / CALLS).times { tool.request { calls.call(CALLS) } } } : calls

puts JSON.generate(ns: Bench::Clocked.slices(count, &work), allocated: Bench::Objects.allocated(count, &work))
$stdout.flush
tool.stop
exit!(0)
