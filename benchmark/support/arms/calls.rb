# frozen_string_literal: true

# calls.rb (bare|probe|notification|listened|holdup|OpenTelemetry|Datadog) COUNT: prints what one call costs
# in time and objects.

require "json"
require "clocked"
require "objects"
require "tools"
require "active_support"
require "active_support/notifications"
require "holdup"

EVENT = "sql.active_record"
POOL = Struct.new(:db_config).new(Struct.new(:name).new("primary"))
# As Active Record's connections: an object (a Struct keeps variables elsewhere) with the method of 8.1 that
# each query passes through.
class QueriedConnection
  attr_reader :pool

  def initialize
    @config = {adapter: "postgresql", database: "shop", host: "db"}
    @pool = POOL
  end

  def query = log("SELECT * FROM orders WHERE id = $1", "Order Load", [], [], async: false) { nil }

  private

  def log(sql, name = "SQL", binds = [], type_casted_binds = [], async: false, allow_retry: false, &block)
    ActiveSupport::Notifications.instrument(EVENT,
      {sql:, name:, binds:, type_casted_binds:, async:, allow_retry:, connection: self}, &block)
  end
end
CONNECTION = QueriedConnection.new
TRACERS = %w[OpenTelemetry Datadog].freeze
# Calls of a request, around which a tracer has a span.
CALLS = 100

# Told of begin and end.
class EmptySubscriber
  def start(_name, _id, _payload) = nil

  def finish(_name, _id, _payload) = nil
end

def instrument(count)
  count.times { CONNECTION.query }
end

def probe_calls(probe)
  kind = probe.call_kind("sql primary")
  lambda do |count|
    count.times do
      probe.begin_call
      probe.end_call(kind, false)
    end
  end
end

arm, count = ARGV[0], ARGV[1].to_i
traced = TRACERS.include?(arm)
tool = Bench::Tools.find(traced ? arm : "holdup")
tool.start
Holdup::Probe.enter unless traced

# One more subscriber, as any application has some.
ActiveSupport::Notifications.unsubscribe(EVENT) unless traced
ActiveSupport::Notifications.monotonic_subscribe(EVENT) { |*_event| nil }
ActiveSupport::Notifications.subscribe(EVENT, EmptySubscriber.new) if arm == "listened"
Holdup::Instrumentation::Calls::ActiveRecord.new(Holdup.recorder).join(QueriedConnection) if arm == "holdup"

work = case arm
when "bare" then ->(times) { times.times { nil } }
when "probe" then probe_calls(Holdup::Probe)
when *TRACERS then ->(times) { (times / CALLS).times { tool.request { instrument(CALLS) } } }
else method(:instrument)
end

puts JSON.generate(ns: Bench::Clocked.slices(count, &work), allocated: Bench::Objects.allocated(count, &work))
$stdout.flush
tool.stop
exit!(0)
