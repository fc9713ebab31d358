# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/agent/instrumentation/tracers"

# The tracers themselves, the probe itself: each in a Ruby of its own, because what stands in front of a span
# stays there.
class Holdup::Instrumentation::TracersTest < Minitest::Test
  include FreshRuby
  include TemporaryFolder

  PARENT = "0af7651916cd43dd8448eb211c80319c"

  # A request that stalls, because a thread holds the GVL meanwhile. RING: traces of the units in the segment.
  PRELUDE = <<~RUBY
    #{FreshRuby::PRELUDE}
    require "json"
    require "holdup"
    require "holdup/segment/directory"
    def serve(app, **env)
      response = Holdup::Instrumentation::Rack.new(app, Holdup.requests).call({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders", "SCRIPT_NAME" => ""}.merge(env))
      response[2].close if response[2].respond_to?(:close)
    end
    def stall
      hog = Thread.new { GvlWork.hold(30_000_000) }
      GvlWork.release(1) while hog.alive?
      [200, {}, []]
    end
    def ring = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries.flat_map { |entry| entry.read { |reader| reader.ring.map(&:to_h) } }
    def failures = Holdup.runtime.guard.failures
  RUBY

  OPEN_TELEMETRY = <<~RUBY
    require "opentelemetry/sdk"
    EXPORTER = OpenTelemetry::SDK::Trace::Export::InMemorySpanExporter.new
    OpenTelemetry::SDK.configure { |c| c.add_span_processor(OpenTelemetry::SDK::Trace::Export::SimpleSpanProcessor.new(EXPORTER)) }
    TRACER = OpenTelemetry.tracer_provider.tracer("test")
    def spans = EXPORTER.finished_spans.map { |span| {name: span.name, trace: span.hex_trace_id, attributes: span.attributes.to_h} }
  RUBY

  DATADOG = <<~RUBY
    $VERBOSE = nil # its own warnings
    require "datadog"
    TRACES = []
    Datadog.configure do |c|
      c.logger.instance = Logger.new(IO::NULL)
      c.telemetry.enabled = c.remote.enabled = false
      c.tracing.enabled = true
    end
    Datadog::Tracing.before_flush { |trace| TRACES << trace; nil }
    def spans = TRACES.flat_map(&:spans).map { |span| {name: span.name, trace: span.trace_id.to_s(16).rjust(32, "0"), attributes: span.meta.merge(span.metrics)} }
  RUBY

  def test_the_trace_that_a_request_says_it_belongs_to
    traces = ruby(<<~RUBY)
      Holdup.start
      app = ->(_env) { [200, {}, []] }
      ["00-#{PARENT}-b7ad6b7169203331-01", "cc-#{PARENT.upcase}-b7ad6b7169203331-01-more", "00-#{PARENT.tr("a", "x")}-b7ad6b7169203331-01", "00-#{PARENT}", "", "x" * 10_000].each do |parent|
        serve(app, "HTTP_TRACEPARENT" => parent)
      end
      serve(app)
      puts JSON.generate(ring.map { |unit| unit[:trace] })
    RUBY
    assert_equal [PARENT, PARENT, nil, nil, nil, nil, nil], traces
  end

  def test_open_telemetry
    told = ruby(<<~RUBY, OPEN_TELEMETRY)
      Holdup.start
      serve(->(_env) { TRACER.in_span("request", kind: :server) { TRACER.in_span("inner") { stall } } }, "HTTP_X_REQUEST_START" => ((Time.now.to_f - 0.5) * 1000).to_i.to_s)
      TRACER.in_span("outside of units", kind: :server) { 1 }
      puts JSON.generate([ring, spans, failures])
    RUBY
    assert_explained(*told, kept: "request", others: ["inner", "outside of units"])
  end

  def test_who_goes_on_has_a_name_already
    spans, alive = ruby(<<~RUBY, OPEN_TELEMETRY)
      Holdup.start
      hogging = true
      begun = Queue.new
      hog = Thread.new { Holdup.measure("HogJob") { begun << true; (GvlWork.hold(5_000_000) || Thread.pass) while hogging } }
      begun.pop
      serve(->(_env) { TRACER.in_span("request", kind: :server) { GvlWork.release(20) || [200, {}, []] } })
      alive = hog.alive?
      hogging = false
      hog.join
      puts JSON.generate([spans, alive])
    RUBY
    attributes = spans.first["attributes"]
    assert_equal [true, "HogJob"], [alive, attributes["holdup.caused_by"]]
    assert_includes 1..attributes["holdup.stalled_ms"], attributes["holdup.caused_by_ms"]
  end

  # As OpenTelemetry's Rack instrumentation ends it, before the server tells that it has sent the answer.
  def test_a_span_that_ends_with_the_body
    traces, spans = ruby(<<~RUBY, OPEN_TELEMETRY)
      require "rack/body_proxy"
      Holdup.start
      after = []
      serve(->(_env) { TRACER.start_span("request", kind: :server).then { |span| [200, {}, Rack::BodyProxy.new([]) { span.finish }] } }, "rack.after_reply" => after)
      before = ring.size
      after.each(&:call)
      puts JSON.generate([[before, *ring.map { |unit| unit[:trace] }], spans])
    RUBY
    assert_equal [0, spans.first["trace"]], traces
    assert spans.first["attributes"].key?("holdup.stalled_ms")
  end

  def test_datadog
    told = ruby(<<~RUBY, DATADOG)
      Holdup.start
      serve(->(_env) { Datadog::Tracing.trace("request") { Datadog::Tracing.trace("inner") { stall } } }, "HTTP_X_REQUEST_START" => ((Time.now.to_f - 0.5) * 1000).to_i.to_s)
      Datadog::Tracing.trace("outside of units") { 1 }
      puts JSON.generate([ring, spans, failures])
    RUBY
    assert_explained(*told, kept: "request", others: ["inner", "outside of units"])
  end

  # As where the tracer's middleware is the outer one, and the server tells no end of its own.
  def test_a_span_around_the_unit
    assert_explained(
      *around("TRACER.in_span('request', kind: :server)", "TRACER.in_span('inner')",
        OPEN_TELEMETRY), kept: "request", others: ["inner"]
    )
  end

  def test_a_span_of_datadog_around_the_unit
    assert_explained(
      *around("Datadog::Tracing.trace('request')", "Datadog::Tracing.trace('inner')",
        DATADOG), kept: "request", others: ["inner"]
    )
  end

  def test_a_tracer_that_fails_reaches_nobody
    answer, spans, failures = ruby(<<~RUBY, OPEN_TELEMETRY)
      OpenTelemetry::SDK::Trace::Span.define_method(:add_attributes) { |_| raise "no" }
      Holdup.start
      answer = nil
      serve(->(_env) { TRACER.in_span("request", kind: :server) { answer = [200, {}, []] } })
      puts JSON.generate([answer, spans, failures])
    RUBY
    assert_equal [[200, {}, []], ["request"], {"tracer" => 1}],
      [answer, spans.map { |span| span["name"] }, failures]
  end

  # As where an application loads it late.
  def test_a_tracer_that_is_loaded_after_the_start
    traces, spans = ruby(<<~RUBY)
      Holdup.start
      #{OPEN_TELEMETRY}
      deadline = Time.now + 20
      sleep 0.02 until OpenTelemetry::SDK::Trace::Span.ancestors.first != OpenTelemetry::SDK::Trace::Span || Time.now > deadline
      serve(->(_env) { TRACER.in_span("request", kind: :server) { [200, {}, []] } })
      puts JSON.generate([ring.map { |unit| unit[:trace] }, spans])
    RUBY
    assert_equal spans.map { |span| span["trace"] }, traces
  end

  private

  def around(span, inner, tracer)
    ruby(<<~RUBY, tracer)
      Holdup.start
      #{span} {
        serve(
          ->(_env) { #{inner} { stall } },
          "HTTP_X_REQUEST_START" => ((Time.now.to_f - 0.5) * 1000).to_i.to_s
        )
      }
      puts JSON.generate([ring, spans, failures])
    RUBY
  end

  def assert_explained(ring, spans, failures, kept:, others:)
    assert_empty failures
    unit = ring.first
    span = spans.find { |one| one["name"] == kept }
    assert_equal [span["trace"]], ring.map { |one| one["trace"] }
    stalled_ms, queued_ms = span["attributes"].values_at("holdup.stalled_ms", "holdup.queued_ms")
    assert_operator stalled_ms, :>, 0
    assert_operator stalled_ms, :<=, unit["stalled_ns"] / 1e6 + 0.001 # what comes after the span is the unit's alone
    assert_in_delta unit["queued_ns"] / 1e6, queued_ms, 0.001
    assert_equal "thread:(unnamed)", span["attributes"]["holdup.caused_by"]
    assert_includes 1..stalled_ms, span["attributes"]["holdup.caused_by_ms"]
    rest = spans.select { |one| others.include?(one["name"]) }
    assert_equal others.size, rest.size
    assert_empty rest.flat_map { |one| one["attributes"].keys.grep(/holdup/) }
  end

  def ruby(script, tracer = "")
    env = {"HOLDUP_DIR" => folder, "HOLDUP_COLLECTOR" => "off", "HOLDUP_TICK_SECONDS" => "0.05"}
    JSON.parse(fresh_ruby(tracer + script, env:, prelude: PRELUDE, gems: true).lines.last)
  end
end
