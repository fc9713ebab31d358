# frozen_string_literal: true

require "holdup/loader"

# A collector whose server fails in every way: everything that was measured is in the store once, and the log
# says what is wrong, what to do, and that seldom. Include it and define
#
# - `server`: responds to crash and start_again
# - `new_url`: address of a new database or schema
# - `wrong_password`: address with a user that the server refuses
# - `reach(url)`: a store that waits for an answer for ANSWER_S at most
# - `words_of_commit`: what the request has that commits
module OutageContract
  include Collecting
  include TemporaryFolder

  HOUR_S = 3600
  DAY_NS = 86_400 * 1_000_000_000
  ANSWER_S = 1
  DEAD_PID = 4_194_996

  def setup
    super
    @url = new_url.tap { |url| Holdup::Store.open(url).tap(&:migrate!).close }
    @segments = File.join(folder, "segments")
    @clock = MovableClock.new(realtime_ns: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
    @log = CollectedLog.new
    @stores = []
    @recorded = 0
  end

  def teardown
    end_all
    @stores&.each(&:close)
    super
  end

  def test_an_hour_without_the_server
    writer = new_writer
    collector = new_collector
    record(writer)
    attempt(collector)
    outage_s = without_server { live_without_the_store(collector, writer) }
    wait_until { attempt(collector) && counted == @recorded }
    assert_exact
    assert_equal "collecting again", @log.lines.last
    assert_said_seldom(@log.lines[...-1], outage_s)
  end

  def test_a_server_that_stalls
    StallingProxy.before(@url) do |proxy|
      collector = new_collector(reach(proxy.url))
      writer = new_writer
      record(writer)
      attempt(collector)
      proxy.stall
      record(writer)
      attempt(collector)
      assert_match(/can't be opened \(.*; check that the server runs/, @log.lines.last)
      proxy.resume
      wait_until { attempt(collector) && counted == @recorded }
      assert_exact
    end
  end

  # The server has committed, and the collector can't know it.
  def test_answers_that_are_lost
    StallingProxy.before(@url) do |proxy|
      collector = new_collector(reach(proxy.url))
      writer = new_writer
      3.times do
        record(writer)
        attempt(collector)
        record(writer)
        proxy.swallow_answers_to(words_of_commit)
        attempt(collector)
        assert_equal @recorded, counted, "the server has it"
        proxy.cut
      end
      wait_until { attempt(collector) && @log.lines.last == "collecting again" }
      assert_exact
    end
  end

  def test_connections_that_break_again_and_again
    StallingProxy.before(@url) do |proxy|
      collector = new_collector(reach(proxy.url))
      writer = new_writer
      random = Random.new(Minitest.seed)
      8.times do
        record(writer)
        cutter = Thread.new { IO.select(nil, nil, nil, random.rand(0.03)) || proxy.cut }
        attempt(collector)
        cutter.join
      end
      wait_until { attempt(collector) && counted == @recorded }
      assert_exact
    end
  end

  def test_a_wrong_password_is_said_without_it
    collector = new_collector(Holdup::Store.open(wrong_password))
    record(new_writer)
    started_s = @clock.realtime_s
    10.times { attempt(collector) }
    assert_said_seldom(@log.lines, @clock.realtime_s - started_s)
    assert_match(/check .*password|grant what/, @log.lines.first)
    refute_match(/wrong-secret/, @log.lines.join)
    collector.send(:leave)
    attempt(new_collector)
    assert_exact
  end

  # A pod that ends while the store is down, and another one with the same disk.
  def test_a_spool_outlives_its_pod
    writer = new_writer(pid: DEAD_PID)
    record(writer)
    collector = new_collector
    attempt(collector)
    record(writer)
    without_server do
      collector.stop
      collector.run(signals: [])
    end
    assert_match(/its last round failed: .*; copied into the spool: 1 \(/, @log.lines.last)
    FileUtils.rm_rf(@segments)
    another = new_collector(dir: File.join(folder, "another"))
    wait_until { attempt(another) && counted == @recorded }
    assert_exact
    assert_match(/delivered from the spool: 1,/, @log.lines.last)
  end

  # Every host has a clock of its own.
  def test_hosts_whose_clocks_differ
    hosts = [-600, 0, 600].map do |ahead_s|
      clock = MovableClock.new(realtime_ns: @clock.realtime_ns + ahead_s * 1_000_000_000)
      dir = File.join(folder, "host#{ahead_s}")
      [new_collector(dir:, clock:, host: "host #{ahead_s}"), new_writer(dir:), clock]
    end
    6.times do |turn|
      hosts.rotate(turn).each do |collector, writer, clock|
        record(writer)
        collector.send(:attempt)
        clock.pass(70)
      end
    end
    assert_exact
    store = open_store
    [60, 300, 3600].each do |seconds|
      found = store.windows(0, 1 << 40, kinds: [:request], seconds:).sum(&:count)
      assert_equal @recorded, found, "windows of #{seconds} s"
    end
  end

  # Machines that were made from one image: of one name, with the same pid, each with memory of its own. A
  # collector of the one is another one's successor.
  def test_two_hosts_of_one_name
    folders = %w[one two].map { |name| File.join(folder, name) }
    writers = folders.map { |dir| new_writer(dir:) }
    2.times do
      collectors = folders.map { |dir| new_collector(dir:) }
      [0, 1, 1, 0].each do |index|
        record(writers[index])
        attempt(collectors[index])
      end
      collectors.each { |collector| collector.send(:leave) }
    end
    assert_exact
    assert_empty @log.lines
  end

  # After a boot, or restored from a snapshot. Nothing of the other host is too old for the store then, and
  # the checkpoints of neither.
  def test_a_host_that_comes_back_with_another_clock
    other = new_collector(dir: File.join(folder, "other"), host: "other")
    writers = [new_writer, new_writer(dir: File.join(folder, "other"))]
    [0, -3, 500, 0].each do |days|
      clock = MovableClock.new(realtime_ns: @clock.realtime_ns + days * DAY_NS)
      returned = new_collector(clock:)
      2.times do
        writers.each { |writer| record(writer) }
        returned.send(:attempt)
        clock.pass(70)
        attempt(other)
      end
      returned.send(:leave)
    end
    assert_exact
  end

  # A clock that only the test moves.
  class MovableClock < HandClock
    def realtime_s = realtime_ns / 1_000_000_000

    def pass(seconds)
      self.realtime_ns += (seconds * 1_000_000_000).round
      self.monotonic_ns += (seconds * 1_000_000_000).round
    end
  end

  private

  def new_collector(store = open_store, dir: @segments, clock: @clock, host: "h")
    spool = Holdup::Collector::Spool.new(File.join(folder, "spool"), max_bytes: 1 << 20, log: @log, clock:)
    Holdup::Collector.new(store:, directory: dir, log: @log, clock:, host:, spool:)
  end

  def open_store(url = @url) = Holdup::Store.open(url).tap { |store| @stores << store }

  def new_writer(dir: @segments, **options) = SegmentWriter.new(dir, **options)

  def record(writer)
    @recorded += 1
    writer.record("A#b", wall: 5_000 * @recorded)
  end

  # One round, and the pause that follows.
  # @return [Numeric] seconds
  def attempt(collector)
    collector.send(:attempt).tap { |pause_s| @clock.pass(pause_s) }
  end

  def without_server
    server.crash
    yield
  ensure
    server.start_again
  end

  def live_without_the_store(collector, writer)
    outage_s = 0
    while outage_s < HOUR_S
      record(writer)
      outage_s += attempt(collector)
    end
    outage_s
  end

  def assert_said_seldom(lines, seconds)
    assert_includes 1..(seconds / 60 + 2), lines.size # one more where the reason changes
    lines.each do |line|
      assert_match(/the store \S+ .*; (check|grant|try) .*; segments are kept and carried later\z/, line)
    end
  end

  def assert_exact
    windows = requests
    walls = windows.map { |window| window.histograms[:wall] }
    assert_equal @recorded, windows.sum(&:count)
    assert_equal @recorded, walls.sum { |wall| wall.zero + wall.counts.sum }
    assert_equal (1..@recorded).sum { |number| 5_000 * number }, walls.sum(&:sum)
  end

  def counted = requests.sum(&:count)

  def requests
    store = Holdup::Store.open(@url, read_only: true)
    store.windows(0, 1 << 40, kinds: [:request]).to_a
  ensure
    store&.close
  end
end
