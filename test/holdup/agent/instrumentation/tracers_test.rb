# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/agent/instrumentation/tracers"
require "support/wait_until"

# The tracers themselves, the probe itself: each in a Ruby of its own, because what stands in front of a span
# stays there.
class Holdup::Instrumentation::TracersTest < Minitest::Test
  include FreshRuby
  include TemporaryFolder

  WAITS = %w[holdup.remote_ms holdup.stalled_ms].freeze
  PARENT = "0af7651916cd43dd8448eb211c80319c"

  # A request that stalls, because a thread holds the GVL meanwhile. RING: traces of the units in the segment.
  PRELUDE = <<~RUBY
    #{FreshRuby::PRELUDE}
    #{WaitUntil::SCRIPT}
    require "json"
    require "holdup"
    require "holdup/segment/directory"
    def serve(app, **env)
      request = {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders", "SCRIPT_NAME" => ""}
      response = Holdup::Instrumentation::Rack.new(app, Holdup.requests).call(request.merge(env))
      response[2].close if response[2].respond_to?(:close)
    end
    def stall
      hog = Thread.new { GvlWork.hold(30_000_000) }
      GvlWork.release(1) while hog.alive?
      [200, {}, []]
    end
    def ring
      entries = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries
      entries.flat_map { |entry| entry.read { |reader| reader.ring.map(&:to_h) } }
    end
    def queued_since(seconds) = ((Time.now.to_f - seconds) * 1_000_000).to_i.to_s
    def failures = Holdup.runtime.guard.failures
  RUBY

  OPEN_TELEMETRY = <<~RUBY
    require "opentelemetry/sdk"
    EXPORTER = OpenTelemetry::SDK::Trace::Export::InMemorySpanExporter.new
    PROCESSOR = OpenTelemetry::SDK::Trace::Export::SimpleSpanProcessor.new(EXPORTER)
    OpenTelemetry::SDK.configure { |c| c.add_span_processor(PROCESSOR) }
    TRACER = OpenTelemetry.tracer_provider.tracer("test")
    def spans
      EXPORTER.finished_spans.map do |span|
        {name: span.name, trace: span.hex_trace_id, attributes: span.attributes.to_h}
      end
    end
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
    def spans
      Datadog::Tracing.shutdown! # a thread of its own flushes
      TRACES.flat_map(&:spans).map do |span|
        trace = span.trace_id.to_s(16).rjust(32, "0")
        {name: span.name, trace:, attributes: span.meta.merge(span.metrics)}
      end
    end
  RUBY

  def test_the_trace_that_a_request_says_it_belongs_to
    traces = ruby(<<~RUBY)
      Holdup.start
      app = ->(_env) { [200, {}, []] }
      parents = [
        "00-#{PARENT}-b7ad6b7169203331-01",
        "cc-#{PARENT.upcase}-b7ad6b7169203331-01-more",
        "00-#{PARENT.tr("a", "x")}-b7ad6b7169203331-01",
        "00-#{PARENT}",
        "",
        "x" * 10_000
      ]
      parents.each do |parent|
        serve(app, "HTTP_TRACEPARENT" => parent)
      end
      serve(app)
      puts JSON.generate(ring.map { |unit| unit[:trace] })
    RUBY
    assert_equal [PARENT, PARENT, nil, nil, nil, nil, nil], traces
  end

  def test_open_telemetry
    results = ruby(<<~RUBY, OPEN_TELEMETRY)
      Holdup.start
      app = ->(_env) { TRACER.in_span("request", kind: :server) { TRACER.in_span("inner") { stall } } }
      serve(app, "HTTP_X_REQUEST_START" => queued_since(0.5))
      TRACER.in_span("outside of units", kind: :server) { 1 }
      puts JSON.generate([ring, spans, failures])
    RUBY
    assert_explained(*results, kept: "request", others: ["inner", "outside of units"])
  end

  def test_a_span_names_a_cause_that_is_still_running
    spans, alive = ruby(<<~RUBY, OPEN_TELEMETRY)
      Holdup.start
      hogging = true
      begun = Queue.new
      hog = Thread.new do
        Holdup.measure("HogJob") do
          begun << true
          (GvlWork.hold(5_000_000) || Thread.pass) while hogging
        end
      end
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

  def test_a_span_names_who_ended_its_wait_for_a_lock
    spans = ruby(<<~RUBY, OPEN_TELEMETRY)
      Holdup.start
      queue = Queue.new
      Thread.new do
        Holdup.measure("PushJob") do
          Thread.pass until queue.num_waiting == 1
          from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < from + 0.01
          queue << true
        end
      end
      serve(->(_env) { TRACER.in_span("request", kind: :server) { queue.pop && [200, {}, []] } })
      puts JSON.generate(spans)
    RUBY
    attributes = spans.first["attributes"]
    assert_equal "PushJob", attributes["holdup.lock_ended_by"]
    assert_operator attributes["holdup.lock_ended_by_ms"], :>=, 10
  end

  # As OpenTelemetry's Rack instrumentation ends it, before the server tells that it has sent the answer.
  def test_a_span_that_ends_with_the_body
    traces, spans = ruby(<<~RUBY, OPEN_TELEMETRY)
      require "rack/body_proxy"
      Holdup.start
      after = []
      app = lambda do |_env|
        span = TRACER.start_span("request", kind: :server)
        [200, {}, Rack::BodyProxy.new([]) { span.finish }]
      end
      serve(app, "rack.after_reply" => after)
      before = ring.size
      after.each(&:call)
      puts JSON.generate([[before, *ring.map { |unit| unit[:trace] }], spans])
    RUBY
    assert_equal [0, spans.first["trace"]], traces
    assert spans.first["attributes"].key?("holdup.stalled_ms")
  end

  def test_datadog
    results = ruby(<<~RUBY, DATADOG)
      Holdup.start
      app = ->(_env) { Datadog::Tracing.trace("request") { Datadog::Tracing.trace("inner") { stall } } }
      serve(app, "HTTP_X_REQUEST_START" => queued_since(0.5))
      Datadog::Tracing.trace("outside of units") { 1 }
      puts JSON.generate([ring, spans, failures])
    RUBY
    assert_explained(*results, kept: "request", others: ["inner", "outside of units"])
  end

  # A wait of 30 ms, then a thread that holds the GVL for 60 ms when the answer is there.
  CALL = <<~RUBY
    def answered_late
      waits = Thread::Queue.new
      hog = Thread.new { waits.pop && GvlWork.hold(60_000_000) }
      waits << true # the thread runs once the wait has released the GVL
      GvlWork.wait(30_000_000)
      hog.join
    end
  RUBY

  def test_the_span_of_a_call_says_how_long_it_waited_for_the_answer
    spans, failures = ruby(<<~RUBY, OPEN_TELEMETRY + CALL)
      Holdup.start
      app = lambda do |_env|
        TRACER.in_span("request", kind: :server) do
          stall
          TRACER.in_span("SELECT", kind: :client) { answered_late }
          TRACER.in_span("view") { stall }
          [200, {}, []]
        end
      end
      serve(app)
      TRACER.in_span("outside of units", kind: :client) { 1 }
      puts JSON.generate([spans, failures])
    RUBY
    assert_split(spans, failures, call: "SELECT")
  end

  def test_the_span_of_a_call_of_datadog
    spans, failures = ruby(<<~RUBY, DATADOG + CALL)
      Holdup.start
      app = lambda do |_env|
        Datadog::Tracing.trace("request") do
          stall
          Datadog::Tracing.trace("SELECT") do |span|
            span.set_tag("span.kind", "client")
            answered_late
          end
          Datadog::Tracing.trace("view") { stall }
          [200, {}, []]
        end
      end
      serve(app)
      Datadog::Tracing.trace("outside of units", tags: {"span.kind" => "client"}) { 1 }
      puts JSON.generate([spans, failures])
    RUBY
    assert_split(spans, failures, call: "SELECT")
  end

  # Datadog's own instrumentation of the call that Holdup measures too.
  def test_the_span_of_a_library_that_both_instrument
    spans, failures = ruby(<<~RUBY, DATADOG)
      require "net/http"
      require "socket"
      Datadog.configure { |c| c.tracing.instrument :http }
      server = TCPServer.new("127.0.0.1", 0)
      Thread.new do
        loop do
          client = server.accept
          nil until client.gets == "\\r\\n"
          GvlWork.wait(50_000_000) # the server thinks
          client.write("HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: 0\\r\\n\\r\\n")
          client.close
        end
      end
      Holdup.start
      address = URI("http://127.0.0.1:\#{server.addr[1]}/")
      app = ->(_env) { Datadog::Tracing.trace("request") { Net::HTTP.get(address) && [200, {}, []] } }
      serve(app)
      puts JSON.generate([spans, failures])
    RUBY
    assert_empty failures
    call = spans.find { |span| span["name"] == "http.request" }
    assert_operator call["attributes"].fetch("holdup.remote_ms"), :>=, 50
  end

  # As where the tracer's middleware is the outer one, and the server tells no end of its own.
  def test_a_span_around_the_unit
    request = "TRACER.in_span('request', kind: :server)"
    results = around(request, "TRACER.in_span('inner')", OPEN_TELEMETRY)
    assert_explained(*results, kept: "request", others: ["inner"])
  end

  def test_a_span_of_datadog_around_the_unit
    request = "Datadog::Tracing.trace('request')"
    results = around(request, "Datadog::Tracing.trace('inner')", DATADOG)
    assert_explained(*results, kept: "request", others: ["inner"])
  end

  def test_a_failing_tracer_does_not_reach_the_application
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
      span_class = OpenTelemetry::SDK::Trace::Span
      wait_until { span_class.private_instance_methods(false).grep(/holdup/).any? }
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
          "HTTP_X_REQUEST_START" => queued_since(0.5)
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
    # The unit may stall after the span's end.
    assert_operator stalled_ms, :<=, unit["stalled_ns"] / 1e6 + 0.001
    assert_in_delta unit["queued_ns"] / 1e6, queued_ms, 0.001
    assert_equal "thread:(unnamed)", span["attributes"]["holdup.caused_by"]
    assert_includes 1..stalled_ms, span["attributes"]["holdup.caused_by_ms"]
    rest = spans.select { |one| others.include?(one["name"]) }
    assert_equal others.size, rest.size
    assert_empty rest.flat_map { |one| one["attributes"].keys.grep(/holdup/) }
  end

  # A thread without a CPU wants the GVL late: then the other one holds it for less of the call.
  def assert_split(spans, failures, call:)
    assert_empty failures
    attributes = spans.to_h { |span| [span["name"], span["attributes"].slice(*WAITS)] }
    remote_ms, stalled_ms = attributes.fetch(call).values_at(*WAITS)
    assert_operator remote_ms, :>=, 30
    assert_operator stalled_ms, :>, 0
    assert_operator stalled_ms, :<, attributes.fetch("request").fetch("holdup.stalled_ms")
    assert_equal ["holdup.stalled_ms"], attributes.fetch("request").keys
    assert_equal [{}, {}], attributes.values_at("view", "outside of units")
  end

  def ruby(script, tracer = "")
    env = {"HOLDUP_DIR" => folder, "HOLDUP_COLLECTOR" => "off", "HOLDUP_TICK_SECONDS" => "0.05"}
    JSON.parse(fresh_ruby(tracer + script, env:, prelude: PRELUDE, gems: true).lines.last)
  end
end
