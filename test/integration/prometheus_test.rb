# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "puma"
require "puma/server"

# What a real Prometheus has is what was sent: scraped from a real collector's port, and from the dashboard.
class PrometheusTest < Minitest::Test
  include TemporaryFolder
  include Collecting
  include RecordedWorkers

  USER = {username: "prometheus", password: "secret"}.freeze
  TEXT = {"app" => "shop", "server" => "puma", "jobs" => "sidekiq", "revision" => "r1"}.freeze
  MS = 1_000_000
  EXE = File.expand_path("../../exe/holdup", __dir__)

  def setup
    skip "no Prometheus here: bin/setup --services installs it" unless PrometheusServer.installed?
    @segments = File.join(folder, "segments")
    @store = File.join(folder, "store.sqlite3")
    @port = FreePorts.take
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

# On the way to a real PostgreSQL some commits get lost, and of others the answers. Those are in the store all
# the same.
class PrometheusOutageTest < Minitest::Test
  include TemporaryFolder

  ROUNDS = 60

  # Passes on what a client and the server say, until one of them ends or a commit gets lost.
  class LossyProxy
    attr_reader :port, :lost

    # @param to [Integer] port of the server
    # @param random [Random]
    def initialize(to:, random:)
      @to = to
      @random = random
      @lost = Hash.new(0)
      @listener = TCPServer.new("127.0.0.1", 0)
      @port = @listener.addr[1]
      @thread = Thread.new { loop { serve(@listener.accept) } }
      @thread.report_on_exception = false
    end

    def reliable! = @random = nil

    def stop
      @thread.kill.join
      @listener.close
    end

    private

    # One client at a time is enough for a collector.
    def serve(client)
      server = TCPSocket.new("127.0.0.1", @to)
      loop do
        IO.select([client, server]).first.each do |from|
          bytes = from.readpartial(65_536)
          next client.write(bytes) if from == server
          fate = bytes.include?("COMMIT") ? commit_fate : :kept
          server.write(bytes) unless fate == :commit
          next if fate == :kept
          IO.select([server], nil, nil, WaitUntil::PATIENCE_S) if fate == :answer
          @lost[fate] += 1
          raise EOFError
        end
      end
    rescue SystemCallError, EOFError
      nil
    ensure
      [client, server].each { |socket| socket&.close }
    end

    def commit_fate
      return :kept unless @random
      case @random.rand
      when 0..0.2 then :answer
      when 0.2..0.3 then :commit
      else :kept
      end
    end
  end

  def setup
    skip "no PostgreSQL here: bin/setup --services installs it" unless PostgresServer.installed?
    @random = Random.new(3)
  end

  def teardown
    @exporting&.close
    @proxy&.stop
    super
  end

  # @yield while PostgreSQL runs, behind the proxy
  def with_store
    port = FreePorts.take
    PostgresServer.run(port:) do |postgres|
      Holdup::Store.open(postgres.url).tap(&:migrate!).close
      @proxy = LossyProxy.new(to: port, random: @random)
      @store = Holdup::Store.open(postgres.url.sub(port.to_s, @proxy.port.to_s))
      export = Holdup::ConfigurationKeys::PrometheusExport.new
      @exporter = Holdup::Export::Prometheus.new(export, dir: folder, log: CollectedLog.new,
        clock: Holdup::Clock.new)
      @exporting = Holdup::Export::Exporters::ExportingStore.new(@store, [@exporter], log: CollectedLog.new)
      yield
      @exporting.close
    end
  end

  def test_counts_what_the_store_has_after_every_failure
    with_store do
      writer = SegmentWriter.new(folder)
      ROUNDS.times { round(writer) }
      @proxy.reliable!
      wait_until { round(writer) == :done }
      assert_operator @proxy.lost[:answer], :>, 3
      assert_operator @proxy.lost[:commit], :>, 1
      assert_equal writer.units, stored
      assert_equal writer.units, exported
    end
  end

  def round(writer)
    @random.rand(1..5).times { writer.record("A#b", wall: 5_000_000) }
    collector.run(Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
    :done
  rescue Holdup::StoreError
    collector.forget
    :failed
  end

  def collector
    @collector ||= Holdup::Collector::Round.new(store: @exporting, host: "h",
      directory: Holdup::Segment::Directory.new(folder),
      warnings: Holdup::Collector::RateLimitedLog.new(log: CollectedLog.new, clock: Holdup::Clock.new))
  end

  def stored
    now_s = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
    @store.windows(0, now_s + 120, names: "A#b").sum(&:count)
  end

  def exported
    @exporter.text[/^ruby_gvl_duration_seconds_count{.*} (\d+)$/, 1].to_i
  end
end
