# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "contracts/otlp_exporting"

class Holdup::Export::OtlpTest < Minitest::Test
  include OtlpExporting

  # What counts: of cumulative values the last.
  def points(name) = @receiver.last(name)

  # The gem reads ENV itself.
  def with_env(variables)
    before = variables.to_h { |name, _| [name, ENV[name]] }
    ENV.update(variables)
    yield
  ensure
    ENV.update(before)
  end

  def test_what_it_is_of_comes_from_labels_and_variables
    @env = {"OTEL_RESOURCE_ATTRIBUTES" => "team=a%20b,deployment.environment.name=prod,broken",
            "KUBERNETES_SERVICE_HOST" => "10.0.0.1", "POD_NAME" => "shop-1", "POD_NAMESPACE" => "live"}
    exporter.add([window("A", [NS])], [])
    received
    resource = durations.first.resource
    expected = {"service.name" => "shop", "host.name" => "web-1", "team" => "a b",
                "deployment.environment.name" => "prod", "k8s.pod.name" => "shop-1",
                "k8s.namespace.name" => "live", "telemetry.sdk.language" => "ruby"}
    assert_equal expected, resource.slice(*expected.keys)
    assert_match(/\A\h{8}-\h{4}-5\h{3}-[89ab]\h{3}-\h{12}\z/, resource["service.instance.id"])
  end

  def test_wrong_bytes_in_variables_become_question_marks
    @env = {"OTEL_RESOURCE_ATTRIBUTES" => "team=\xFFa,area=%FFb", "OTEL_SERVICE_NAME" => "\xE3shop",
            "KUBERNETES_SERVICE_HOST" => "x", "POD_NAME" => "\xFF\u3042"}
    exporter.add([window("A", [NS])], [])
    received
    expected = {"team" => "?a", "area" => "?b", "service.name" => "?shop", "k8s.pod.name" => "?\u3042"}
    assert_equal expected, durations.first.resource.slice(*expected.keys)
  end

  def test_a_collector_that_takes_over_is_the_same_instance
    ids = Array.new(2) do
      exporter.add([window("A", [NS])], [])
      received
      durations.first.resource["service.instance.id"]
    end
    assert_equal 1, ids.uniq.size
  end

  # Two applications under one name must not send two values for one stream.
  def test_a_service_name_of_the_environment_is_for_all_applications
    @env = {"OTEL_SERVICE_NAME" => "web"}
    exporter.add([window("A", [NS]), window("A", [NS], setting: {**SETTING, "app" => "other"})], [])
    received
    assert_equal [["web", 2]], durations.map { |each| [each.resource["service.name"], each.point.count] }
  end

  def test_a_variable_outside_of_kubernetes_means_something_else
    @env = {"NODE_NAME" => "build-7"}
    exporter.add([window("A", [NS])], [])
    received
    refute_includes durations.first.resource.keys, "k8s.node.name"
  end

  def test_headers_compression_and_endpoint_come_from_the_environment
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT" => @receiver.url, "OTEL_EXPORTER_OTLP_COMPRESSION" => "none",
                 "OTEL_EXPORTER_OTLP_HEADERS" => "authorization=Bearer%20x"}
    with_env(variables) do
      made(Holdup::ConfigurationKeys::OpenTelemetryExport.new, ENV)
    end
    @exporters.last.add([window("A", [NS])], [])
    assert_equal 1, received["A"].count
    request = @receiver.headers.last
    assert_equal ["/v1/metrics", "Bearer x", nil, "application/x-protobuf"],
      request.values_at("path", "authorization", "content-encoding", "content-type")
  end

  def test_the_timeout_of_the_environment_ends_an_export
    @receiver.mode = :hang
    one = with_env("OTEL_EXPORTER_OTLP_TIMEOUT" => "0.2") { exporter }
    one.add([window("A", [NS])], [])
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    error = assert_raises(Holdup::Error) { one.push }
    assert_match(/failed \(.+\)/, error.message)
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 9, "the default is 10 s"
  end

  def test_cumulative_values_have_one_start
    one = exporter
    2.times do
      one.add([window("A", [NS])], [])
      received
    end
    first, second = @receiver.exports.map do |export|
      @receiver.points("http.server.request.duration", of: export).first
    end
    assert_equal [1, 2], [first.point.count, second.point.count]
    assert_equal first.point.start_time_unix_nano, second.point.start_time_unix_nano
    assert_operator first.point.time_unix_nano, :<=, second.point.time_unix_nano
    temporality = second.metric.exponential_histogram.aggregation_temporality
    assert_equal :AGGREGATION_TEMPORALITY_CUMULATIVE, temporality
  end

  def test_a_receiver_that_was_down_has_everything_afterwards
    one = exporter
    @receiver.mode = :refuse
    one.add([window("A", [NS])], [])
    error = assert_raises(Holdup::Error) { one.push }
    assert_match(%r{127\.0\.0\.1:\d+/v1/metrics failed \(.+\); check the endpoint}, error.message)
    @receiver.mode = :take
    one.add([window("A", [NS])], [])
    assert_equal 2, received["A"].count
  end

  def test_what_a_receiver_answers_says_what_to_do
    one = exporter
    one.add([window("A", [NS])], [])
    {"401 Unauthorized" => "OTEL_EXPORTER_OTLP_HEADERS", "404 Not Found" => "path of the endpoint",
     "413 Content Too Large" => "larger requests", "500 Oops" => "speaks OTLP"}.each do |status, advice|
      @receiver.mode = "HTTP/1.1 #{status}\r\nContent-Length: 0\r\n\r\n"
      error = assert_raises(Holdup::Error, status) { one.push }
      assert_match(/failed \(HTTP status #{status}\); .*#{advice}/, error.message)
    end
  end

  def test_a_receiver_that_took_it_but_complained_counts_once
    one = exporter
    one.add([window("A", [NS])], [])
    @receiver.mode = :take_and_refuse
    assert_raises(Holdup::Error) { one.push }
    @receiver.mode = :take
    assert_equal 1, received["A"].count
  end

  # The figures, and headers with a password, go where the endpoint says.
  def test_follows_no_redirect
    other = OtlpReceiver.new
    @receiver.mode = "HTTP/1.1 307 x\r\nLocation: #{other.url}/v1/metrics\r\nContent-Length: 0\r\n\r\n"
    one = exporter
    one.add([window("A", [NS])], [])
    error = assert_raises(Holdup::Error) { one.push }
    assert_includes error.message, "it redirects to \"#{other.url}/v1/metrics\""
    assert_empty other.headers
  ensure
    other.stop
  end

  def test_reads_no_answer_without_an_end
    ["X-Endless: ", "Content-Type: x\r\n\r\n"].each do |start|
      @receiver.mode = "HTTP/1.1 200 OK\r\n#{start}#{"a" * 1_000_000}"
      one = exporter
      one.add([window("A", [NS])], [])
      error = assert_raises(Holdup::Error, start) { one.push }
      assert_includes error.message, "its answer has more than 262144 bytes"
    end
    assert_equal "identity", @receiver.headers.last["accept-encoding"], "a small one could unpack to much"
  end

  def test_waits_no_longer_than_a_minute_when_the_receiver_asks_for_an_hour
    @receiver.mode = "HTTP/1.1 503 x\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
    one = exporter
    client = one.instance_variable_get(:@client)
    assert_equal 60, client.longest_s
    client.define_singleton_method(:longest_s) { 0.1 }
    one.add([window("A", [NS])], [])
    error = assert_raises(Holdup::Error) { one.push }
    assert_includes error.message, "no whole answer within 0.1 s"
    @receiver.mode = :take
    assert_equal 1, received["A"].count
  end

  def test_an_answer_is_one_short_line_in_the_log
    status = Google::Rpc::Status.encode(Google::Rpc::Status.new(message: "a\nb\e[31m#{"c" * 10_000}"))
    @receiver.mode = "HTTP/1.1 400 x\r\nContent-Length: #{status.bytesize}\r\n\r\n".b + status
    one = exporter
    one.add([window("A", [NS])], [])
    error = assert_raises(Holdup::Error) { one.push }
    refute_match(/[[:cntrl:]]/, error.message)
    assert_operator error.message.size, :<, 700
  end

  def test_the_log_says_once_that_nothing_arrives_and_that_it_arrives_again
    @receiver.mode = :refuse
    one = exporter(interval: 0.02)
    one.add([window("A", [NS])], [])
    one.start
    wait_until { @receiver.headers.size > 3 }
    @receiver.mode = :take
    wait_until { @receiver.exports.any? }
    wait_until { @log.lines.size == 2 }
    assert_match(/OpenTelemetry did not get figures: .*failed/, @log.lines.first)
    assert_match(/OpenTelemetry gets figures again/, @log.lines.last)
  end

  def test_the_end_sends_the_last
    one = exporter
    one.start
    one.add([window("A", [NS])], [])
    one.close
    assert_equal 1, durations.first.point.count
    assert_empty @log.lines
  end

  def test_wrong_variables_are_said
    {
      {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE" => "sum"} => /is cumulative, delta or lowmemory/,
      {"OTEL_METRIC_EXPORT_INTERVAL" => "1m"} => /is a number of milliseconds, not "1m"/,
      {"OTEL_SDK_DISABLED" => "TRUE"} => /OTEL_SDK_DISABLED is true/
    }.each do |env, message|
      @env = env
      error = assert_raises(ArgumentError, env.inspect) { exporter(interval: nil) }
      assert_match(message, error.message)
    end
  end

  def test_another_protocol_is_said
    @env = {"OTEL_EXPORTER_OTLP_PROTOCOL" => "grpc"}
    exporter
    assert_equal ["OpenTelemetry gets http/protobuf, not grpc"], @log.lines
  end
end

class Holdup::Export::Exporters::OtlpDeltaTest < Minitest::Test
  include OtlpExporting

  def setup
    super
    @env = {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE" => "delta"}
  end

  # What counts: all of it together.
  def points(name) = @receiver.points(name)

  def test_each_export_has_what_is_new
    one = exporter
    one.add([window("A", [NS]), window("B", [NS])], [])
    one.push
    one.add([window("A", [2 * NS, 3 * NS], acquisitions: 3)], [])
    one.push
    one.push
    durations = @receiver.exports.map do |export|
      @receiver.points("http.server.request.duration", of: export)
    end
    assert_equal [[1, 1], [2], []], durations.map { |points| points.map { |point| point.point.count } }
    assert_equal 5.0, durations[1].first.point.sum
    assert_equal [3], @receiver.points("ruby.gvl.acquisitions", of: @receiver.exports[1]).map(&:value)
    assert_equal :AGGREGATION_TEMPORALITY_DELTA,
      durations[1].first.metric.exponential_histogram.aggregation_temporality
  end

  def test_each_export_starts_where_the_last_ended
    one = exporter
    3.times do
      one.add([window("A", [NS])], [])
      one.push
    end
    times = points("http.server.request.duration").map do |point|
      [point.point.start_time_unix_nano, point.point.time_unix_nano]
    end
    assert_equal times[0].last, times[1].first
    assert_equal times[1].last, times[2].first
  end

  def test_what_was_refused_is_in_the_next_export
    one = exporter
    one.add([window("A", [NS])], [])
    one.push
    @receiver.mode = :refuse
    one.add([window("A", [2 * NS])], [])
    assert_raises(Holdup::Error) { one.push }
    @receiver.mode = :take
    one.add([window("A", [3 * NS])], [])
    assert_equal({"A" => 3}, received.transform_values(&:count))
    last = @receiver.last("http.server.request.duration").first.point
    first = @receiver.exports.first.first.point
    assert_equal [2, 5.0, first.time_unix_nano], [last.count, last.sum, last.start_time_unix_nano]
  end

  # The only case that counts twice.
  def test_what_was_taken_without_an_answer_comes_again
    one = exporter
    one.add([window("A", [NS])], [])
    @receiver.mode = :take_and_refuse
    assert_raises(Holdup::Error) { one.push }
    @receiver.mode = :take
    assert_equal 2, received["A"].count
  end

  def test_extremes_are_at_most_4_4_percent_off
    one = exporter
    one.add([window("A", [1_000, NS])], [])
    one.push
    one.add([window("A", [5_000_000, 70_000_000])], [])
    one.push
    histogram = @receiver.last("http.server.request.duration").first.point
    assert_in_delta 1, histogram.min / 0.005, 0.045
    assert_in_delta 1, histogram.max / 0.07, 0.045
  end
end
