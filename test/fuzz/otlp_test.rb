# frozen_string_literal: true

require "test_helper"
require "fuzz/fuzzing"
require "holdup/loader"
require "opentelemetry-exporter-otlp-metrics"

# What a receiver of OpenTelemetry's metrics may answer, and the names and variables that it is sent: an
# export succeeds or fails with a short line for the log, the next one arrives, and all of it is readable.
class OtlpFuzzTest < Minitest::Test
  include Fuzzing
  include TemporaryFolder

  STATUSES = [200, 200, 202, 204, 100, 101, 199, 301, 302, 307, 400, 401, 404, 408, 413, 429, 500, 502, 503,
    504, 600, 999].freeze
  HEADERS = %w[Content-Length Transfer-Encoding Content-Encoding Location Retry-After Connection
    Content-Type Set-Cookie].freeze
  VALUES = ["chunked", "gzip", "deflate", "close", "keep-alive", "0", "application/x-protobuf",
    "http://127.0.0.1:1/v1/metrics", "//127.0.0.1:1", "https://[::1", "99999999"].freeze
  VARIABLES = %w[OTEL_RESOURCE_ATTRIBUTES OTEL_SERVICE_NAME KUBERNETES_SERVICE_HOST POD_NAME
    POD_NAMESPACE].freeze
  LONGEST_LINE = 700
  TAKEN = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  # Names of one export, in two applications.
  TOGETHER = 40

  def setup
    @receiver = OtlpReceiver.new
    @log = CollectedLog.new
  end

  def teardown
    @receiver.stop
    super
  end

  repeated def test_any_answer_is_a_success_or_a_line_for_the_log
    empty = exporter({}) # most of the time for an export goes by for its figures
    filled = exporter({}).tap { |exporter| exporter.add([window("A")], []) }
    outcomes = fuzz(120, thorough: 2_000) do |input|
      exporter = input.chance?(0.05) ? filled : empty
      @receiver.mode = answer(input)
      outcome = push(exporter)
      @receiver.mode = exporter.equal?(filled) ? :take : TAKEN
      assert_equal :taken, later(exporter), "afterwards"
      refute_empty received if exporter.equal?(filled)
      outcome
    end
    assert_operator outcomes[:taken], :>, 0
    assert_operator outcomes[:failed], :>, 0
  end

  one_ruby repeated def test_any_names_and_variables_arrive_as_text
    fuzz(10, thorough: 100) do |input|
      exporter = exporter(VARIABLES.to_h { |name| [name, variable(input)] })
      apps = [input.text, input.text]
      windows = Array.new(TOGETHER) do
        window(input.text, queue: input.text, app: input.one_of(apps))
      end
      exporter.add(windows, [])
      assert_equal :taken, push(exporter)
      points = received.select { |point| point.name.end_with?("duration") }
      assert_equal TOGETHER, points.sum { |point| point.point.count }
      texts = points.flat_map { |point| [*point.resource.to_a, *point.attributes.to_a] }.flatten.uniq
      texts.each { |text| assert_predicate text, :valid_encoding? }
      :arrived
    end
  end

  private

  # It sends when the test says so, and does not sleep between repetitions.
  def exporter(env)
    export = Holdup::ConfigurationKeys::OpenTelemetryExport.new(endpoint: @receiver.url, interval: 3600)
    exporter = Holdup::Export::Otlp.new(export, dir: folder, log: @log, clock: HandClock.new, env:)
    exporter.instance_variable_get(:@client).define_singleton_method(:sleep) { |_seconds| nil }
    exporter
  end

  def push(exporter)
    exporter.push
    :taken
  rescue Holdup::Error => error
    assert_operator error.message.size, :<, LONGEST_LINE
    assert_predicate error.message, :valid_encoding?
    refute_match(/[[:cntrl:]]/, error.message)
    :failed
  end

  # What came after an answer spoils one more export, if the receiver has not closed that connection by then.
  def later(exporter)
    first = push(exporter)
    (first == :taken) ? first : push(exporter)
  end

  # @return [Array<OtlpReceiver::ReceivedPoint>] of the last export; the receiver forgets it
  def received
    @receiver.last.tap { @receiver.forget }
  end

  def window(name, queue: "low", app: "shop")
    setting = {"app" => Holdup::Utf8.valid(app), "jobs" => "sidekiq"}
    SampleWindows.new(kind: :job, queue:, setting:).window(name, count: 1,
      histograms: {wall: Holdup::Histogram.of([1_000_000])})
  end

  # Percent-encoded bytes and pairs among them. The environment has no zeros.
  def variable(input)
    pairs = Array.new(input.random.rand(4)) do
      "#{input.text.b}=#{input.text.b}%#{input.one_of(%w[FF 41 0A x])}"
    end
    text = input.chance?(0.7) ? pairs.join(",") : input.text.b
    text.delete("\0").force_encoding(input.one_of([Encoding::UTF_8, Encoding::US_ASCII]))
  end

  # The whole of it, or what there was when the receiver went away.
  def answer(input)
    bytes = [status(input), *headers(input), "", body(input)].join("\r\n")
    input.chance?(0.2) ? bytes.byteslice(0, input.random.rand(bytes.bytesize + 1)) : bytes
  end

  def status(input)
    return input.text.b if input.chance?(0.1)
    reason = input.chance?(0.2) ? input.text.b : "OK"
    "HTTP/1.1 #{input.one_of(STATUSES)} ".b << reason
  end

  def headers(input)
    Array.new(input.random.rand(4)) do
      name = input.chance?(0.9) ? input.one_of(HEADERS) : input.text.b
      value = input.chance?(0.6) ? input.one_of(VALUES) : input.text.b
      "#{name}: ".b << value
    end
  end

  def body(input)
    case input.random.rand(8)
    when 0 then ""
    when 1 then Zlib.gzip("a" * 100_000)
    when 2 then "a".b * (2 * Holdup::Export::Otlp::MetricsClient::MOST_BYTES)
    when 3 then "#{input.text.b}\r\n#{input.text.b}\r\n0\r\n\r\n"
    when 4, 5
      message = Holdup::Utf8.valid(input.text)
      Google::Rpc::Status.encode(Google::Rpc::Status.new(message:))
    else input.random.bytes(input.random.rand(200))
    end
  end
end
