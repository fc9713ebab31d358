# frozen_string_literal: true

require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/queue_time"
require "holdup/agent/instrumentation/rack"
require "holdup/agent/instrumentation/request_units"
require "holdup/agent/instrumentation/unit_name"

# Requests through the middleware, and what the probe gets of them.
module MeasuredRequests
  NOW_NS = 1_700_000_000_500_000_000

  def setup(**options)
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard:)
    clock = HandClock.new(realtime_ns: NOW_NS)
    on_clamp = -> { recorder.count_clamped }
    @requests = Holdup::Instrumentation::RequestUnits.new(
      recorder:,
      ignored: %r{\A/up\z},
      names: Holdup::Instrumentation::UnitName.new(guard:),
      queue: Holdup::Instrumentation::QueueTime.new(header: "X-Request-Start", clock:, on_clamp:),
      **options
    )
  end

  def middleware(app = nil, &block)
    Holdup::Instrumentation::Rack.new(app || block, @requests)
  end

  def env(path = "/orders/1", **more)
    {"REQUEST_METHOD" => "GET", "PATH_INFO" => path, "SCRIPT_NAME" => ""}.merge(more.transform_keys(&:to_s))
  end

  def ok(body = ["hi"]) = [200, {}, body]

  def recorded = @probe.recorded.last
end
