# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "puma"
require "puma/server"

# What a real Prometheus has is what was sent: scraped from a real collector's port, and from the dashboard.
class PrometheusTest < Minitest::Test
  include TemporaryFolder
  include Collecting

  USER = {username: "prometheus", password: "secret"}.freeze
  TEXT = {"app" => "shop", "server" => "puma", "jobs" => "sidekiq", "revision" => "r1"}.freeze
  DEAD_PID = 4_194_800
  MS = 1_000_000
  EXE = File.expand_path("../../exe/holdup", __dir__)

  def setup
    skip "no Prometheus here: bin/setup --services installs it" unless PrometheusServer.installed?
    @segments = File.join(folder, "segments")
    @store = File.join(folder, "store.sqlite3")
    @port = PrometheusServer.free_port
    @workers = 0
    @sent = Hash.new(0)
    @random = Random.new(5)
  end

  def teardown
    end_all
    @web&.stop(true)
    super
  end

  def collect
    command = [RbConfig.ruby, EXE, "collect", "--dir", @segments, "--store", @store, "--interval", "0.1"]
    log = [File.join(folder, "collector.log"), "a"]
    pid = Process.spawn({"HOLDUP_PROMETHEUS" => @port.to_s}, *command, err: log, out: File::NULL)
    started << pid
    wait_until { listening? }
    pid
  end

  def listening?
    TCPSocket.new("127.0.0.1", @port).close
    true
  rescue SystemCallError
    false
  end

  # @return [Integer] port of a dashboard that asks for a password
  def serve_dashboard
    dashboard = Holdup::Web.new(store: -> {}, dir: @segments, auth: USER)
    @web = Puma::Server.new(dashboard, nil, min_threads: 0, max_threads: 1)
    @web.add_tcp_listener("127.0.0.1", 0)
    @web.run
    @web.connected_ports.first
  end

  def jobs
    web = serve_dashboard
    [
      {"job_name" => "collector", "static_configs" => [{"targets" => ["127.0.0.1:#{@port}"]}]},
      {"job_name" => "dashboard", "basic_auth" => USER.transform_keys(&:to_s),
       "static_configs" => [{"targets" => ["127.0.0.1:#{web}"]}]}
    ]
  end

  # A worker that records and ends, or is killed.
  def work(units, killed: false)
    now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
    pid = killed ? DEAD_PID : Process.pid
    now_ns -= 60_000_000_000 if killed
    @workers += 1
    start = @workers if killed
    writer = SegmentWriter.new(@segments, pid:, start:, suffix: "-#{@workers}", now_ns:)
    writer.setting = JSON.generate(TEXT)
    units.times { |index| record(writer, index) }
    killed ? writer.abandon : writer.close
  end

  def record(writer, index)
    wall = @random.rand(1..900) * MS
    stalled = wall / 10
    queued = @random.rand(1..90) * MS
    sums = {cpu_ns: wall - stalled, caused_ns: stalled, acquisitions: 3, gc_ns: 7}
    times = {wall:, stalled:, queued:, running: wall - stalled, **sums}
    if index.odd?
      writer.record("ReportJob", kind: :job, queue: "low", error: true, **times)
    else
      writer.record("OrdersController#index", **times)
    end
    times.each { |name, value| @sent[name] += value }
    @sent[:count] += 1
    @sent[:jobs] += 1 if index.odd?
    @sent[:fast] += 1 if wall <= 2**28
  end

  def wait_for(prometheus, count, job)
    wait_until { prometheus.value("sum(ruby_gvl_duration_seconds_count{job='#{job}'})") == count }
  end

  def test_prometheus_has_exactly_what_was_sent_while_workers_come_and_go
    first = collect
    PrometheusServer.run(jobs) do |prometheus|
      [[40, false], [31, true], [50, false]].each do |units, killed|
        work(units, killed:)
        wait_for(prometheus, @sent[:count], "collector")
      end
      wait_for(prometheus, 121, "dashboard")
      %w[collector dashboard].each { |job| assert_agrees(prometheus, job) }
      assert_never_reset(prometheus)
      assert_starts_again_at_0(prometheus, first)
    end
    assert_well_formed
  end

  def assert_agrees(prometheus, job)
    {
      "sum(ruby_gvl_duration_seconds_sum{job='%s'})" => seconds(:wall),
      "sum(ruby_gvl_duration_seconds_bucket{job='%s',le='0.268435456'})" => @sent[:fast],
      "sum(ruby_gvl_duration_seconds_bucket{job='%s',le='+Inf'})" => @sent[:count],
      "sum(ruby_gvl_stalled_seconds_sum{job='%s'})" => seconds(:stalled),
      "sum(ruby_gvl_time_seconds_total{job='%s'})" => seconds(:wall),
      "sum(ruby_gvl_time_seconds_total{job='%s',state='cpu'})" => seconds(:cpu_ns),
      "sum(ruby_gvl_caused_seconds_total{job='%s'})" => seconds(:caused_ns),
      "sum(ruby_gvl_gc_seconds_total{job='%s'})" => seconds(:gc_ns),
      "sum(ruby_gvl_acquisitions_total{job='%s'})" => @sent[:acquisitions],
      "sum(ruby_gvl_errors_total{job='%s'})" => @sent[:jobs],
      "sum(ruby_gvl_queued_seconds_sum{job='%s'})" => seconds(:queued),
      "sum(rack_queue_duration_seconds_count{job='%s'})" => @sent[:count] - @sent[:jobs],
      "sum(sidekiq_queue_latency_seconds_count{job='%s',queue='low'})" => @sent[:jobs]
    }.each do |expression, expected|
      assert_in_delta expected, prometheus.value(format(expression, job)), 1e-6, format(expression, job)
    end
  end

  def seconds(name) = @sent[name].fdiv(1_000_000_000)

  def assert_never_reset(prometheus)
    ours = /\A(ruby|rack|sidekiq)_.*_(total|count|sum|bucket)\z/
    names = prometheus.api("label/__name__/values").grep(ours)
    assert_operator names.size, :>, 20
    names.each { |name| assert_equal 0, prometheus.value("sum(resets(#{name}[10m]))"), name }
  end

  # rate() and increase() take a lower value as a new beginning.
  def assert_starts_again_at_0(prometheus, first)
    end_process(first, :KILL)
    before = @sent[:count]
    collect
    work(10)
    wait_for(prometheus, @sent[:count] - before, "collector")
    labels = prometheus.query("ruby_gvl_duration_seconds_count{job='collector'}").first.labels
    assert_equal ["shop", "puma+sidekiq", Etc.uname[:nodename]], labels.values_at("app", "role", "host")
    reset = prometheus.value("sum(resets(ruby_gvl_duration_seconds_count{job='collector'}[10m]))")
    assert_operator reset, :>=, 1
  end

  # promtool knows the conventions of names and types.
  def assert_well_formed
    text = Net::HTTP.get(URI("http://127.0.0.1:#{@port}/metrics"))
    fine, said = PrometheusServer.check("metrics", input: text)
    assert fine, said
    assert_empty said
  end
end
