# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "contracts/exporter_contract"
require "open3"

class Holdup::Export::PrometheusTest < Minitest::Test
  include TemporaryFolder

  SETTING = {"app" => "shop", "server" => "puma"}.freeze

  def setup
    @log = CollectedLog.new
  end

  def teardown
    @exporters&.each(&:close)
    super
  end

  def exporter(**options)
    export = Holdup::ConfigurationKeys::PrometheusExport.new(**options)
    Holdup::Export::Prometheus.new(export, dir: folder, log: @log, clock: Holdup::Clock.new).tap do |made|
      (@exporters ||= []) << made
    end
  end

  def window(name, kind: :request, ns: 1_500_000_000, **sums)
    values = Holdup::Window::HISTOGRAMS.to_h { |each| [each, Holdup::Histogram.of([ns])] }
    SampleWindows.new(kind:, setting: SETTING).window(name, count: 1, sums:, histograms: values)
  end

  def lines(exporter, pattern) = exporter.text.lines(chomp: true).grep(pattern)

  def test_histograms_have_buckets_sum_and_count
    one = exporter.tap { |each| each.add([window("A#b")], []) }
    labels = 'app="shop",role="puma",host="web-1",kind="request",name="A#b"'
    assert_equal ["ruby_gvl_duration_seconds_sum{#{labels}} 1.5"], lines(one, /duration_seconds_sum.*A#b/)
    assert_equal ["ruby_gvl_duration_seconds_count{#{labels}} 1"], lines(one, /gvl_duration_seconds_count/)
    buckets = lines(one, /\Aruby_gvl_duration_seconds_bucket/)
    assert_includes buckets, %(ruby_gvl_duration_seconds_bucket{#{labels},le="1.073741824"} 0)
    assert_includes buckets, %(ruby_gvl_duration_seconds_bucket{#{labels},le="2.147483648"} 1)
    assert_includes buckets, %(ruby_gvl_duration_seconds_bucket{#{labels},le="+Inf"} 1)
  end

  def test_time_by_state_adds_up_to_the_elapsed_time
    one = exporter
    one.add(SampleWindows.new(setting: SETTING).to_a, [])
    states = lines(one, /\Aruby_gvl_time_seconds_total.*OrdersController/)
    assert_equal Holdup::UnitNumbers::STATES.size, states.size
    wall = lines(one, /\Aruby_gvl_duration_seconds_sum.*OrdersController/).first[/\S+\z/].to_f
    assert_in_epsilon wall, states.sum { |line| line[/\S+\z/].to_f }, 1e-9
  end

  def test_aliases_have_the_queue_time
    one = exporter
    one.add([window("A#b"), window("B#c")], [])
    assert_equal [%(rack_queue_duration_seconds_count{app="shop",role="puma",host="web-1"} 2)],
      lines(one, /rack_queue_duration_seconds_count/)
    assert_empty lines(one, /sidekiq_queue/)
  end

  def test_threads_outside_of_requests_have_time_but_no_histogram
    account = SampleWindows.new(kind: :account, setting: SETTING).window("main",
      histograms: {running: Holdup::Histogram.of_sum(2_000_000_000)})
    one = exporter.tap { |each| each.add([account], []) }
    labels = 'app="shop",role="puma",host="web-1",kind="thread",name="main"'
    assert_includes lines(one, /main/), %(ruby_gvl_time_seconds_total{#{labels},state="running"} 2.0)
    assert_empty lines(one, /duration_seconds.*main/)
  end

  def test_has_the_scaling_signal
    scaling = Struct.new(:gauges, :document).new([[:holdup_load_ratio, "Load.", {{role: "puma"} => 0.5}],
      [:holdup_backlog_jobs, "Waiting.", {}]], "{}")
    export = Holdup::ConfigurationKeys::PrometheusExport.new
    clock = Holdup::Clock.new
    one = Holdup::Export::Prometheus.new(export, dir: folder, log: @log, clock:, scaling:)
    assert_equal ["# TYPE holdup_load_ratio gauge", "# HELP holdup_load_ratio Load.",
      'holdup_load_ratio{role="puma"} 0.5'], lines(one, /load_ratio/)
    assert_empty lines(one, /holdup_backlog/)
  end

  def test_names_are_escaped
    one = exporter.tap { |each| each.add([window(%(a"b\\c\nd))], []) }
    assert_includes one.text, %q(name="a\"b\\\\c\nd")
  end

  def test_processes_get_their_labels_from_their_settings
    one = exporter
    setting = Holdup::Setting.new(attributes: SETTING)
    sample = {host: "web-1", pid: 7, start: 1, at_s: 10, setting: setting.fingerprint, rss_bytes: 5}
    one.add([window("A#b")], [sample, {host: "web-1", pid: 0, at_s: 10, name: "container"}])
    assert_equal [%(ruby_memory_rss_bytes{app="shop",role="puma",host="web-1"} 5)],
      lines(one, /\Aruby_memory_rss/)
  end

  def test_says_once_what_was_dropped
    one = exporter(series: 2)
    2.times { |index| one.add(%w[A B C].map { |name| window("#{name}#{index}") }, []) }
    assert_equal ["holdup_exporter_dropped_series 4"], lines(one, /\Aholdup_exporter_dropped_series/)
    assert_equal 1, @log.lines.grep(/no more than 2 names.*\(other\)/).size
    sum = lines(one, /\Aruby_gvl_duration_seconds_count/).sum { |line| line[/\d+\z/].to_i }
    assert_equal 6, sum
  end

  def test_a_taken_port_is_said_once_and_tried_again
    taken = TCPServer.new("127.0.0.1", 0)
    port = taken.addr[1]
    one = exporter(port:)
    one.start
    assert_empty @log.lines, "a collector that ends still has it"
    2.times { one.start }
    assert_equal 1, @log.lines.grep(/nothing can listen at 127.0.0.1, port #{port}/).size
    taken.close
    one.add([window("A#b")], [])
    assert_equal port, one.port
  ensure
    taken&.close
  end

  def test_hanging_scrapers_do_not_delay_a_commit
    one = exporter(port: 0)
    one.start
    hanging = Array.new(6) { TCPSocket.new("127.0.0.1", one.port) }
    hanging.each { |socket| socket.write("GET /metrics") }
    50.times { one.add([window("A#b")], []) }
    assert_equal 1, lines(one, /\Aruby_gvl_duration_seconds_count.* 50\z/).size
    threads = Thread.list.select { |thread| thread.name == "holdup-metrics" }
    assert wait_until { threads.map(&:status).uniq == %w[sleep] }, "both wait for their clients"
  ensure
    hanging&.each(&:close)
  end

  def test_the_file_for_the_dashboard_comes_and_goes
    one = exporter
    election = Holdup::Collector::Election.new(Holdup::Segment::Directory.new(folder).lock_path)
    assert_predicate election, :won?
    one.start
    assert_includes Holdup::Export::Exporters::MetricsFile.new(folder).read, "holdup_exporter_series 0"
    one.close
    assert_equal ["collector.lock"], Dir.children(folder)
  ensure
    election&.release
  end

  # A killed collector can't remove it, and the next one may export nothing.
  def test_nobody_reads_the_file_of_an_earlier_collector
    exporter.start
    File.utime(*[Time.now - 5] * 2, File.join(folder, Holdup::Export::Exporters::MetricsFile::NAME))
    election = Holdup::Collector::Election.new(Holdup::Segment::Directory.new(folder).lock_path)
    assert_predicate election, :won?
    assert_nil Holdup::Export::Exporters::MetricsFile.new(folder).read
  ensure
    election&.release
  end

  def test_nobody_reads_the_file_of_a_dead_collector
    exporter.start
    assert_nil Holdup::Export::Exporters::MetricsFile.new(folder).read
  end
end

# What all exporters keep.
class Holdup::Export::Exporters::PrometheusContractTest < Minitest::Test
  include TemporaryFolder
  include ExporterContract

  SAMPLE = /\A(?<metric>\w+){(?<labels>.*)} (?<value>\S+)\z/

  def exporter(**options)
    export = Holdup::ConfigurationKeys::PrometheusExport.new(port: 0, **options)
    Holdup::Export::Prometheus.new(export, dir: folder, log: @log, clock: Holdup::Clock.new)
      .tap { |made| @exporters << made }
  end

  def received
    counts = sums("ruby_gvl_duration_seconds_count")
    seconds = sums("ruby_gvl_time_seconds_total")
    counts.to_h { |name, count| [name, Received.new(count: count.to_i, seconds: seconds[name])] }
  end

  # @return [Hash{String => Float}] by name
  def sums(metric)
    samples = @exporters.last.text.lines(chomp: true).filter_map { |line| SAMPLE.match(line) }
    samples.select { |sample| sample[:metric] == metric }.each_with_object(Hash.new(0)) do |sample, sums|
      sums[sample[:labels][/name="((?:[^"\\]|\\.)*)"/, 1]] += Float(sample[:value])
    end
  end

  def hang
    @clients = Array.new(3) { TCPSocket.new("127.0.0.1", @exporters.last.port) }
    @clients.each { |client| client.write("GET /metrics") }
  end

  def teardown
    super
    @clients&.each(&:close)
  end
end
