# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::Exporters::ExportingStoreTest < Minitest::Test
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
    attr_reader :counts, :deaths, :started, :closed

    def initialize
      @counts = Hash.new(0)
      @deaths = []
      @started = 0
    end

    def start = @started += 1

    def add(windows, _samples, deaths: [])
      windows.each { |window| @counts[window.series.name] += window.count if window.series.unit? }
      @deaths.concat(deaths.map(&:pid))
    end

    def close = @closed = true
  end

  def setup
    begin_anew("first")
  end

  def begin_anew(name, store: Holdup::Store.open("memory:"))
    @segments = File.join(folder, name)
    FileUtils.mkdir_p(@segments)
    @round = nil
    @log = CollectedLog.new
    @unreliable = Unreliable.new(store)
    @exporter = Adding.new
    @store = Holdup::Export::Exporters::ExportingStore.new(@unreliable, [@exporter], log: @log)
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
    @store.checkpoints(host: "0123456789abcdef")
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
  one_ruby def test_no_count_goes_back_or_is_lost_in_any_order_of_deaths_and_failures
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

  def a_worker_dies
    namespace = Holdup::Segment::OwnerProcess.new.namespace
    worker = writer(1, pid: DEAD_PID, start: 5, worker: 0, namespace:, now_ns: @now_ns - 60 * NS)
    worker.record("A#a")
    worker.abandon
  end

  def test_counts_a_death_once_also_when_the_answer_of_its_commit_was_lost
    a_worker_dies
    collect(:before)
    assert_empty @exporter.deaths
    collect(:after)
    2.times { collect }
    assert_equal [DEAD_PID], @exporter.deaths
    assert_equal 1, @unreliable.deaths(0, 1 << 40).size
  end

  # As after a restart of the collector that had written it, and could not remove the segment.
  def test_does_not_count_a_death_that_the_store_has_already
    a_worker_dies
    collect
    death = @unreliable.deaths(0, 1 << 40).first
    @store.commit([], {}, deaths: [death, death.with(pid: 5, source: "new"), death.with(source: "new")])
    assert_equal [DEAD_PID, 5], @exporter.deaths
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
    @store = Holdup::Export::Exporters::ExportingStore.new(@unreliable, [failing, @exporter], log: @log)
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
