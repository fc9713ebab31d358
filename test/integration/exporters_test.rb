# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "opentelemetry-exporter-otlp-metrics"

# A real collector with all exporters at once: each receiver has exactly what was sent, while workers come, go
# and are killed, and whatever another receiver does.
class ExportersTest < Minitest::Test
  include TemporaryFolder
  include Collecting
  include RecordedWorkers

  TEXT = {"app" => "shop", "server" => "puma", "jobs" => "sidekiq"}.freeze
  MS = 1_000_000
  NS = 1_000_000_000
  EXE = File.expand_path("../../exe/holdup", __dir__)

  def setup
    @segments = File.join(folder, "segments")
    @otlp = OtlpReceiver.new
    @statsd = StatsdReceiver.new
    @port = FreePorts.take
    @sent = Hash.new(0)
    @random = Random.new(5)
  end

  def teardown
    end_all
    [@otlp, @statsd].each(&:stop)
    super
  end

  def collect(**environment)
    command = [RbConfig.ruby, EXE, "collect", "--dir", @segments, "--store", "#{folder}/store.sqlite3",
      "--interval", "0.1"]
    exports = {"HOLDUP_OPENTELEMETRY" => "endpoint=#{@otlp.url},interval=1",
               "HOLDUP_PROMETHEUS" => @port.to_s,
               "HOLDUP_STATSD" => "address=#{@statsd.address},interval=1"}
    log = [File.join(folder, "collector.log"), "a"]
    Process.spawn({**exports, **environment.transform_keys(&:to_s)}, *command, err: log, out: File::NULL)
      .tap { |pid| started << pid }
  end

  def log = File.read(File.join(folder, "collector.log"))

  def record(writer, index)
    wall = @random.rand(1..900) * MS
    times = {wall:, stalled: wall / 10, queued: 5 * MS, running: wall - wall / 10, cpu_ns: wall - wall / 10}
    options = index.odd? ? {kind: :job, queue: "low"} : {}
    writer.record(index.odd? ? "ReportJob" : "GET /orders", **options, **times)
    @sent[:count] += 1
    @sent[:wall_ns] += wall
  end

  def otlp_points(name, of: @otlp.last) = @otlp.points(name, of:)

  def otlp_count(of: @otlp.last)
    durations(of:).sum { |point| point.point.count }
  end

  def durations(of: @otlp.last)
    otlp_points("http.server.request.duration", of:) + otlp_points("messaging.process.duration", of:)
  end

  def statsd_count = @statsd.messages("ruby.gvl.duration").sum(&:count)

  def prometheus_count
    text = Net::HTTP.get(URI("http://127.0.0.1:#{@port}/metrics"))
    text.scan(/^ruby_gvl_duration_seconds_count{.*} (\d+)$/).flatten.sum(&:to_i)
  rescue SystemCallError
    0
  end

  def test_every_receiver_has_exactly_what_was_sent_while_workers_come_and_go
    collect
    [[40, false], [31, true], [50, false]].each do |units, killed|
      work(units, killed:)
      wait_until { [otlp_count, statsd_count, prometheus_count].uniq == [@sent[:count]] }
    end
    assert_in_delta @sent[:wall_ns].fdiv(NS), durations.sum { |point| point.point.sum }, 1e-6
    assert_in_delta @sent[:wall_ns].fdiv(NS), @statsd.messages("ruby.gvl.time").sum(&:value), 1e-6
    assert_counts_never_fall
    assert_empty @statsd.unreadable
    refute_match(/did not get|failed/, log)
  end

  def assert_counts_never_fall
    counts = @otlp.exports.map { |export| otlp_count(of: export) }
    assert_equal counts.sort, counts
    starts = durations.map { |point| point.point.start_time_unix_nano }
    assert_equal 1, starts.uniq.size
  end

  def test_delta_adds_up_to_what_was_sent_although_the_receiver_was_down
    collect(OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta")
    work(20)
    wait_until { otlp_count(of: @otlp.points) == 20 }
    @otlp.mode = :refuse
    refused = @otlp.headers.size
    work(30)
    wait_until { statsd_count == 50 && @otlp.headers.size > refused }
    @otlp.mode = :take
    work(5)
    wait_until { otlp_count(of: @otlp.points) == 55 }
    wait_until { log.include?("OpenTelemetry gets figures again") }
    seconds = durations(of: @otlp.points).sum { |point| point.point.sum }
    assert_in_delta @sent[:wall_ns].fdiv(NS), seconds, 1e-6
  end

  def test_a_receiver_that_hangs_keeps_neither_the_store_nor_others_from_their_figures
    @otlp.mode = :hang
    pid = collect
    3.times do
      work(20)
      wait_until { [statsd_count, prometheus_count].uniq == [@sent[:count]] }
    end
    assert_equal 60, stored
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end_process(pid, :TERM)
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 15
    assert_match(/OpenTelemetry did not take the last figures within 2 s/, log)
  end

  def stored
    store = Holdup::Store.open("#{folder}/store.sqlite3")
    windows = store.windows(0, Process.clock_gettime(Process::CLOCK_REALTIME, :second) + 120)
    windows.select { |window| window.series.unit? }.sum(&:count)
  ensure
    store&.close
  end

  # Long before its interval ends.
  def test_sigterm_sends_what_is_left
    pid = collect(HOLDUP_OPENTELEMETRY: "endpoint=#{@otlp.url},interval=3600",
      HOLDUP_STATSD: "address=#{@statsd.address},interval=3600")
    work(1)
    wait_until { prometheus_count == 1 }
    work(9)
    end_process(pid, :TERM)
    wait_until { statsd_count == 10 }
    assert_equal 10, otlp_count
  end
end
