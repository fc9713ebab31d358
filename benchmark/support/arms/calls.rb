# frozen_string_literal: true

# calls.rb (bare|probe|notification|listened|holdup) COUNT: prints what one call costs in time and objects.

require "json"
require "clocked"
require "objects"
require "tools"
require "active_support"
require "active_support/notifications"
require "holdup"

EVENT = "sql.active_record"
POOL = Struct.new(:db_config).new(Struct.new(:name).new("primary"))
# An object as a connection is one: a Struct keeps variables elsewhere.
CONNECTION = Class.new { def pool = POOL }.new
PAYLOAD = {connection: CONNECTION}.freeze

# Told of begin and end.
class EmptySubscriber
  def start(_name, _id, _payload) = nil

  def finish(_name, _id, _payload) = nil
end

def instrument(count)
  count.times { ActiveSupport::Notifications.instrument(EVENT, PAYLOAD) { nil } }
end

tool = Bench::Tools.find("holdup")
tool.start
probe = Holdup::Probe
probe.enter
kind = probe.call_kind("sql primary")
libraries = Holdup::Instrumentation::Calls
ActiveSupport::Notifications.unsubscribe(EVENT)

ActiveSupport::Notifications.monotonic_subscribe(EVENT) { |*_event| nil }
ActiveSupport::Notifications.subscribe(EVENT, EmptySubscriber.new) if ARGV[0] == "listened"
libraries::ActiveRecord.new(Holdup.recorder).subscribe if ARGV[0] == "holdup"

work = case ARGV[0]
when "bare" then ->(count) { count.times { nil } }
when "probe"
  lambda do |count|
    count.times do
      probe.begin_call
      probe.end_call(kind, false)
    end
  end
else method(:instrument)
end
count = ARGV[1].to_i

puts JSON.generate(ns: Bench::Clocked.slices(count, &work), allocated: Bench::Objects.allocated(count, &work))
$stdout.flush
tool.stop
exit!(0)
