# frozen_string_literal: true

require "holdup/loader"
require "support/collecting"
require "support/sample_minutes"
require "support/example_units"

# What a store behind a server promises beyond StoreContract: several collectors at once, and lost
# connections. Include it and define
#
# - `server`: responds to crash and start_again
# - `new_url`: address of a new database or schema
# - `store(url, **options)`: a new object; options: read_only
# - `nowhere(password)`: address without a server
module ServerStoreContract
  include Collecting
  include SampleMinutes

  StoreError = Holdup::StoreError
  Errors = Holdup::Store::ServerErrors
  DAY = 86_400
  # Host and name of each process that writes: two of one host, and two others.
  WRITERS = [%w[a 1], %w[a 2], %w[b 1], %w[c 1]].freeze
  PATIENCE_S = WaitUntil::PATIENCE_S
  KILLS = Thorough.turns(4, thorough: 20, nightly: 60)

  def self.included(test)
    return unless test.is_a?(Class)
    test.repeated_everywhere(:test_everything_is_counted_once_while_writers_are_killed)
  end

  def setup
    super
    @opened = []
    @url = new_url
    open_store.migrate!
  end

  def teardown
    end_all
    @opened&.each(&:close)
    super
  end

  def test_everything_is_counted_once_while_writers_are_killed
    writers = WRITERS.to_h { |writer| [start_writer(*writer), writer] }
    upkeep = fork_child { keep_up(open_store) }
    KILLS.times do |turn|
      pid, writer = writers.to_a.sample(random:)
      wait_for_commits(pid, random.rand(1..12))
      end_process(pid, :KILL)
      writers.delete(pid)
      writers[start_writer(*writer)] = writer
    end
    [*writers.keys, upkeep].each { |pid| end_process(pid, :KILL) }
    assert_exact
  end

  def test_new_names_that_come_from_everywhere_at_once_are_kept_once
    names = Array.new(40) { |number| "Controller#{number}#index" }
    go, start = IO.pipe
    pids = %w[a b c].map do |host|
      fork_child do
        start.close
        go.read
        windows = names.shuffle.map { |name| minute(name:).with(host:) }
        open_store.commit(windows, {}, paths: windows.to_h { |window| [window.series, "/#{host}"] })
      end
    end
    [start, go].each(&:close)
    pids.each { |pid| assert_ended_well(pid) }
    assert_equal 40, open_store.health[:series]
    assert_equal 120, units(open_store)
  end

  def test_a_collector_carries_everything_once_after_the_server_crashed
    Dir.mktmpdir do |segments|
      writer = SegmentWriter.new(segments)
      log = File.join(segments, "log")
      spawn_collector(segments, @url, interval: 0.05, err: log)
      5.times { writer.record("A#b", wall: 5_000) }
      wait_until { requests == 5 }
      server.crash
      5.times { writer.record("A#b", wall: 5_000) }
      wait_until { File.read(log).include?("can't be opened") }
      server.start_again
      wait_until { requests >= 10 }
      wait_until { File.read(log).include?("collecting again") }
      assert_equal 10, requests
    end
  end

  def test_a_reader_keeps_one_state_and_writes_nothing
    store = filled
    store.commit([minute(1)], {})
    reader = open_store(read_only: true)
    counts = reader.windows(0, MINUTE_START * 2).map do |window|
      store.commit([minute(0), minute(1)], {})
      window.count
    end
    assert_equal [1, 1], counts
    assert_equal [3, 3], reader.windows(0, MINUTE_START * 2).map(&:count)
    assert_raises(StoreError::ReadOnly) { reader.commit([minute], {}) }
    assert_raises(StoreError::ReadOnly) { reader.migrate! }
  end

  def test_tables_are_made_by_the_command_alone
    @url = new_url
    [false, true].each do |read_only|
      error = assert_raises(Errors::NotMigrated) { open_store(read_only:).checkpoints }
      assert_match(/run `holdup store migrate` once/, error.message)
    end
    2.times { open_store.migrate! }
    assert_equal 1, units(filled)
  end

  def test_processes_that_migrate_at_once_make_one_store
    @url = new_url
    pids = Array.new(3) { fork_child { open_store.migrate! } }
    pids.each { |pid| assert_ended_well(pid) }
    assert_equal 1, units(filled)
  end

  def test_times_after_2038_are_kept
    store = open_store
    late = minute.with(start_s: (1 << 31) / 60 * 60 + 60)
    store.commit([late], {}, processes: [{at_s: late.start_s, host: "a", pid: 7}])
    assert_equal [late], store.windows(late.start_s, late.start_s + 60).to_a
    assert_equal 1, store.processes(late.start_s, late.start_s + 60).size
  end

  def test_a_name_that_is_too_long_is_the_fault_of_its_row
    store = open_store
    faults = []
    store.commit([minute, minute(name: "x" * 300)], {}) do |row, error|
      faults << error
      Holdup::SkippedRow.new(at_s: MINUTE_START, host: "a", kind: :window, name: row.series.name,
        reason: error.message)
    end
    assert_equal [StoreError::BadRow], faults.map(&:class)
    assert_equal 1, units(store)
  end

  def test_an_address_without_a_server_names_it_without_its_password
    url = nowhere("secret")
    error = assert_raises(Errors::Unreachable) { Holdup::Store.open(url).checkpoints }
    assert_match(/check that the server runs/, error.message)
    refute_match(/secret/, error.message)
  end

  private

  def open_store(url = @url, **options)
    store(url, **options).tap { |store| @opened << store }
  end

  def random = @random ||= Random.new(Minitest.seed)

  def skipped(name)
    Holdup::SkippedRow.new(at_s: MINUTE_START, host: "a", kind: :series, name:, reason: "broken")
  end

  # @return [String] the statements that the help shows
  def statements(server)
    Holdup::Stores::Command::HELP[/^#{server}.*?:\n(.*?)(\n\n|\z)/m, 1]
  end

  def do_all_of_a_collector(store)
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder: "/x", at_ns: 1, units: {})
    2.times do |turn|
      store.checkpoints(host: "a")
      store.commit([minute(turn * -1)].first(1 - turn), {"a s" => turn.to_s}, collector_checkpoint:,
        skipped: [skipped("A")],
        processes: [{at_s: MINUTE_START, host: "a", pid: 7}], paths: {minute.series => "/#{turn}"},
        unit_samples: [ExampleUnits.block([ExampleUnits.unit_sample(turn)])])
    end
    store.rollup(MINUTE_START + DAY)
    store.prune(MINUTE_START + 3 * DAY)
  end

  def filled(**options)
    open_store(**options).tap { |store| store.commit([minute], {}) }
  end

  def requests
    store = Holdup::Store.open(@url, read_only: true)
    store.windows(0, 1 << 40, kinds: [:request]).sum(&:count)
  rescue StoreError
    0
  ensure
    store&.close
  end

  def assert_ended_well(pid)
    assert_predicate Process.wait2(pid).last, :success?
    started.delete(pid)
  end

  def start_writer(host, name)
    reader, writer = IO.pipe
    pid = fork_child { write_for_ever(host, "#{host} #{name}", writer) }
    writer.close
    (@pipes ||= {})[pid] = reader
    pid
  end

  def wait_for_commits(pid, count) = @pipes[pid].read(count)

  # As a collector does: it goes on from the stored checkpoints, in the minutes of all the others.
  def write_for_ever(host, segment, signal)
    store = open_store
    done = store.checkpoints(host:)[segment].to_i
    (done + 1..).each do |number|
      windows = [minute(number % 7), minute(number % 11, name: "#{number % 5}#index")]
      store.commit(windows.map { |window| window.with(host:) }, {segment => number.to_s})
      signal.write(".")
    end
  end

  # Rolls up in the middle of what is being written.
  def keep_up(store)
    (0..).each do |turn|
      store.rollup(MINUTE_START + turn % 30 * 60)
      store.prune(MINUTE_START + DAY)
    end
  end

  # For a store that can't see at once that a roll-up was killed.
  def after_a_killed_roll_up = nil

  def assert_exact
    store = open_store
    WRITERS.map(&:first).uniq.each { |host| store.checkpoints(host:) }
    commits = store.checkpoints.values.sum(&:to_i)
    assert_operator commits, :>, KILLS
    assert_equal 2 * commits, units(store)
    after_a_killed_roll_up
    store.rollup(MINUTE_START + 2 * DAY)
    [60, 300, 3600, DAY].each do |seconds|
      windows = store.windows(MINUTE_START, MINUTE_START + DAY, seconds:).to_a
      assert_equal [seconds], windows.map(&:seconds).uniq
      assert_equal 2 * commits, windows.sum(&:count), "windows of #{seconds} s"
      assert_equal 2 * commits, windows.sum { |window| window.histograms[:wall].counts.sum }
    end
  end
end
