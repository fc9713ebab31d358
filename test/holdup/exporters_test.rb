# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::ExportersTest < Minitest::Test
  include TemporaryFolder

  def around(*exports, **options)
    Holdup::Exporters.around(:store, exports, dir: folder, log: @log = CollectedLog.new, **options)
  end

  def test_without_the_setting_the_store_is_unchanged
    assert_equal :store, around
  end

  def test_an_exporter_that_can_not_be_made_is_left_out_and_the_log_says_why
    export = Holdup::ConfigurationKeys::OpenTelemetryExport.new
    assert_equal :store, around(export, env: {"OTEL_METRIC_EXPORT_INTERVAL" => "1m"})
    assert_equal ["config.opentelemetry exports nothing: OTEL_METRIC_EXPORT_INTERVAL is a number of " \
      "milliseconds, not \"1m\""], @log.lines
  end

  # The gem reads ENV itself.
  def test_a_file_that_is_missing_does_not_keep_the_others_from_exporting
    ENV["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"] = "/nowhere/client.pem"
    exports = %i[OpenTelemetryExport PrometheusExport].map { |name| Holdup::ConfigurationKeys.const_get(name).new }
    assert_instance_of Holdup::Exporters::ExportingStore, around(*exports)
    assert_match(%r{\Aconfig\.opentelemetry exports nothing: No such file.*/nowhere/client\.pem}, @log.lines.first)
  ensure
    ENV.delete("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE")
  end

  # Its gem would change the application's own OpenTelemetry.
  def test_open_telemetry_needs_a_collector_outside_of_the_application
    assert_equal :store, around(Holdup::ConfigurationKeys::OpenTelemetryExport.new, in_app: true)
    assert_match(/config\.opentelemetry exports nothing.*set config\.collector to :process/, @log.lines.first)
  end

  # As with `config.collector = :thread`.
  def test_a_collector_in_a_thread_exports
    configuration = Holdup::Configuration.build do |config|
      config.collector = :thread
      config.dir = File.join(folder, "segments")
      config.store = File.join(folder, "store.sqlite3")
      config.prometheus = :web
    end
    log = CollectedLog.new
    collector = Holdup::Runtime::Collectors.build(configuration, env: {}, log:)
    collector.start
    file = Holdup::Exporters::MetricsFile.new(configuration.dir)
    assert_includes wait_until { file.read }, "holdup_exporter_series 0"
  ensure
    collector&.stop
    assert_empty log&.lines.to_a
  end

  def test_without_its_gem_nothing_is_exported_and_the_log_says_what_to_install
    {PrometheusExport: "prometheus-client", OpenTelemetryExport: "opentelemetry-exporter-otlp-metrics",
     StatsdExport: "dogstatsd-ruby"}.each do |export, gem|
      output = without_gems(export)
      assert_match(/needs the gem #{gem}.*`gem install #{gem}`$/, output)
      assert_equal ":store", output.lines.last.chomp
    end
  end

  def without_gems(export)
    script = <<~RUBY
      require "holdup"
      require "holdup/loader"
      log = Object.new
      def log.warn(line) = puts(line)
      export = Holdup::ConfigurationKeys.const_get(ARGV[1]).new
      p Holdup::Exporters.around(:store, [export], dir: ARGV[0], log:)
    RUBY
    zeitwerk = $LOAD_PATH.grep(/zeitwerk/).flat_map { |path| ["-I", path] }
    lib = File.expand_path("../../lib", __dir__)
    command = [RbConfig.ruby, "--disable=gems", "-I", lib, *zeitwerk, "-e", script, folder, export.to_s]
    IO.popen([{"RUBYOPT" => nil}, *command], &:read)
  end
end

class Holdup::Exporters::ExportingStoreTest < Minitest::Test
  include TemporaryFolder

  NS = 1_000_000_000
  DEAD_PID = 4_194_900
  NAMES = %w[A#a B#b C#c].freeze

  # A store whose commits fail before or after they are written, or reject a row.
  class Unreliable < SimpleDelegator
    attr_accessor :fault

    def commit(windows, *rest, **rows, &bad_row)
      fault = @fault
      lost if fault == :before
      if fault == :bad_row && windows.any?
        raise Holdup::StoreError::BadRow.new(location: "x", reason: "no") unless bad_row
        bad_row.call(windows.first, StandardError.new("no"))
        windows = windows.drop(1)
      end
      super(windows, *rest, **rows)
      lost if fault == :after
    end

    def lost = raise(Holdup::StoreError::Locked.new(location: "x", seconds: 1))
  end

  # Adds up what it is given.
  class Adding
    attr_reader :counts, :started, :closed

    def initialize
      @counts = Hash.new(0)
      @started = 0
    end

    def start = @started += 1

    def add(windows, _samples)
      windows.each { |window| @counts[window.series.name] += window.count if window.series.unit? }
    end

    def close = @closed = true
  end

  def setup
    begin_anew("first")
  end

  def begin_anew(name, store: Holdup::Store::Memory.new)
    @segments = File.join(folder, name)
    FileUtils.mkdir_p(@segments)
    @round = nil
    @log = CollectedLog.new
    @unreliable = Unreliable.new(store)
    @exporter = Adding.new
    @store = Holdup::Exporters::ExportingStore.new(@unreliable, [@exporter], log: @log)
    @now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
  end

  def round
    @round ||= begin
      warnings = Holdup::Collector::RateLimitedLog.new(log: CollectedLog.new, clock: Holdup::Clock.new)
      directory = Holdup::Segment::Directory.new(@segments)
      Holdup::Collector::Round.new(store: @store, directory:, host: "h", warnings:)
    end
  end

  # As Collector does.
  def collect(fault = nil)
    @unreliable.fault = fault
    round.run(@now_ns += NS)
  rescue Holdup::StoreError
    round.forget
  end

  def stored
    windows = @unreliable.windows(0, @now_ns / NS + 120).select { |window| window.series.unit? }
    windows.each_with_object(Hash.new(0)) { |window, counts| counts[window.series.name] += window.count }
  end

  def writer(suffix, **options)
    SegmentWriter.new(@segments, suffix: "-#{suffix}", **options)
  end

  def test_counts_each_commit_once
    one = writer(1)
    one.record("A#a")
    collect
    one.record("A#a")
    2.times { collect }
    assert_equal({"A#a" => 2}, @exporter.counts)
  end

  def test_a_commit_that_failed_is_counted_when_it_is_repeated
    writer(1).record("A#a")
    collect(:before)
    assert_empty @exporter.counts
    collect
    assert_equal({"A#a" => 1}, @exporter.counts)
  end

  def test_a_commit_whose_answer_was_lost_counts_once
    one = writer(1)
    one.record("A#a")
    collect(:after)
    assert_empty @exporter.counts
    one.record("A#a")
    collect
    assert_equal({"A#a" => 2}, @exporter.counts)
  end

  # A spooled copy is delivered under an owner of its own.
  def test_a_lost_answer_is_settled_by_its_own_checkpoints
    writer(1).record("A#a")
    collect(:after)
    @store.progress(host: "0123456789abcdef")
    assert_empty @exporter.counts
    collect
    assert_equal({"A#a" => 1}, @exporter.counts)
  end

  # The bytes that a database answers are those that were written.
  def test_a_lost_answer_of_a_database_is_settled_too
    begin_anew("sqlite", store: Holdup::Store.open(File.join(folder, "store.sqlite3")))
    one = writer(1)
    %i[after before after].each do |fault|
      one.record("A#a")
      collect(fault)
    end
    collect
    assert_equal({"A#a" => 3}, @exporter.counts)
    assert_equal stored, @exporter.counts
  ensure
    @unreliable.close
  end

  def test_what_the_store_rejected_is_not_exported
    one = writer(1)
    NAMES.each { |name| one.record(name) }
    collect(:bad_row)
    assert_equal stored, @exporter.counts
    assert_equal 2, @exporter.counts.values.sum
  end

  # Workers come, record, and die closed or killed; the store fails in every way. Nothing goes back at any
  # step, and when the store is well again both have the same.
  def test_no_count_goes_back_or_is_lost_in_any_order_of_deaths_and_failures
    40.times do |seed|
      begin_anew("seed-#{seed}")
      random = Random.new(seed)
      workers = []
      30.times { |step| check_step(workers, random, "seed #{seed}, step #{step}") }
      2.times { collect }
      assert_equal stored, @exporter.counts.select { |_, count| count.positive? }, "seed #{seed}"
      assert_operator @exporter.counts.values.sum, :>, 20
    end
  end

  def check_step(workers, random, place)
    before = @exporter.counts.dup
    workers << writer(@workers = @workers.to_i + 1) if random.rand < 0.3
    workers.each { |each| random.rand(3).times { each.record(NAMES.sample(random:)) } }
    killed(random) if random.rand < 0.3
    gone = workers.select { random.rand < 0.1 }
    gone.each(&:close)
    workers.reject! { |each| gone.include?(each) }
    collect([nil, nil, :before, :after, :bad_row].sample(random:))
    before.each { |name, count| assert_operator @exporter.counts[name], :>=, count, "#{name}: #{place}" }
  end

  # A worker that came and died since the last round.
  def killed(random)
    @killed = @killed.to_i + 1
    dead = writer(1, pid: DEAD_PID, start: @killed, now_ns: @now_ns - 60 * NS)
    random.rand(5).times { dead.record(NAMES.sample(random:)) }
    dead.abandon
  end

  def test_a_failing_exporter_stops_nothing_and_says_so_once
    def @exporter.add(*) = raise("broken")
    one = writer(1)
    2.times do
      one.record("A#a")
      collect
    end
    assert_equal({"A#a" => 2}, stored)
    assert_equal 1, @log.lines.grep(/exporting failed \(RuntimeError: broken\)/).size
  end

  def test_a_failing_exporter_does_not_keep_another_from_its_figures
    failing = Adding.new
    def failing.add(*) = raise("broken")
    def failing.close = raise("broken too")
    @store = Holdup::Exporters::ExportingStore.new(@unreliable, [failing, @exporter], log: @log)
    writer(1).record("A#a")
    collect
    @store.close
    assert_equal({"A#a" => 1}, @exporter.counts)
    assert @exporter.closed
    assert_equal %w[broken broken\ too], @log.lines.map { |line| line[/RuntimeError: ([^)]*)/, 1] }
  end

  def test_starts_when_the_collector_leads_and_closes_with_it
    collector = Holdup::Collector.new(store: @store, directory: @segments, log: @log, host: "h")
    assert_equal 0, @exporter.started
    collector.once
    assert_equal 1, @exporter.started
    assert @exporter.closed
  end
end

class Holdup::Exporters::PushThreadTest < Minitest::Test
  def setup
    @log = CollectedLog.new
  end

  def teardown
    @thread&.stop
  end

  def thread(interval_s: 0.01, close_s: 0.2, &push)
    @thread = Holdup::Exporters::PushThread.new("Receiver", address: "host:1", interval_s:, close_s:,
      log: @log, &push)
    @thread.start
    @thread
  end

  def test_pushes_at_intervals_and_once_more_at_the_end
    pushes = 0
    one = thread { pushes += 1 }
    wait_until { pushes > 3 }
    one.stop
    before = pushes
    one.start
    one.stop
    assert_operator pushes, :>, before
    assert_empty @log.lines
  end

  def test_the_end_comes_although_the_interval_is_long
    pushes = 0
    one = thread(interval_s: 3600) { pushes += 1 }
    one.start
    one.stop
    assert_equal 1, pushes
    assert_equal ["figures for Receiver go to host:1 every 3600 s"], @log.infos
  end

  # Figures that came while a push was under way.
  def test_an_end_during_a_push_has_another_one
    states = Thread::Queue.new
    go = Thread::Queue.new
    one = thread(close_s: 60) do
      states << :pushing
      go.pop
    end
    states.pop
    ending = Thread.new { one.stop }
    wait_until { ending.status == "sleep" }
    go.close
    ending.join
    assert_operator states.size, :>=, 1
  end

  def test_a_push_that_hangs_is_left
    hanging = Thread::Queue.new
    one = thread { hanging.pop }
    wait_until { hanging.num_waiting == 1 }
    one.stop
    assert_equal ["Receiver did not take the last figures within 0.2 s; the store has them"], @log.lines
    assert(wait_until { hanging.num_waiting.zero? })
  end

  def test_messages_of_an_outage_are_logged_once_and_its_end
    pushes = 0
    up = false
    thread do
      pushes += 1
      raise "down #{pushes % 2}" unless up
    end
    wait_until { pushes > 10 }
    up = true
    wait_until { @log.lines.grep(/again/).any? }
    failures = ["Receiver did not get figures: down 0", "Receiver did not get figures: down 1"]
    assert_equal [*failures, "Receiver gets figures again"], @log.lines.sort
  end

  def test_ever_new_messages_do_not_fill_the_log
    pushes = 0
    thread do
      pushes += 1
      raise "down #{pushes}"
    end
    wait_until { pushes > 10 }
    assert_equal 3, @log.lines.size
  end
end
