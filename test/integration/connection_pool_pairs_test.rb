# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/loader"

# Whom waits for connections are for, against what the threads themselves know of who held a connection when.
class ConnectionPoolPairsTest < Minitest::Test
  # Of a victim's wait.
  POINTS = 0.02
  # Sequel hands a connection to who comes first, so some names hardly wait: their shares are chance.
  LONG_NS = 100_000_000
  # Seconds for which each keeps a connection, and how often: long beside what a pool needs to take it back.
  KEPT = {"ReplenishJob" => [0.06, 12], "PriceJob" => [0.02, 15], "Inventory#show" => [0.012, 20]}.freeze
  # Threads by the size of the pool.
  THREADS = {1 => {"ReplenishJob" => 1, "PriceJob" => 1, "Inventory#show" => 2},
             5 => {"ReplenishJob" => 5, "PriceJob" => 2, "Inventory#show" => 4}}.freeze

  ACTIVE_RECORD = <<~RUBY
    require "active_record"
    database = File.join(ENV.fetch("HOLDUP_DIR"), "..", "db.sqlite3")
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database:, pool: SIZE)
    POOL = ActiveRecord::Base.connection_pool
    def connected(&) = POOL.with_connection(&)
    def contended
      connections = Array.new(SIZE) { POOL.checkout }
      POOL.checkout(0.001) rescue 0
      connections.each { |connection| POOL.checkin(connection) }
    end
  RUBY

  # A frozen pool, as of an application in production.
  SEQUEL = <<~RUBY
    require "sequel"
    DB = Sequel.sqlite(File.join(ENV.fetch("HOLDUP_DIR"), "..", "db.sqlite3"), max_connections: SIZE,
      pool_class: POOL_CLASS)
    DB.freeze
    POOL = DB.pool
    def connected(&) = POOL.hold(&)
    def contended
      got = Queue.new
      back = Queue.new
      keepers = Array.new(SIZE) { Thread.new { POOL.hold { got << 1; back.pop } } }
      SIZE.times { got.pop }
      asks = Thread.new { POOL.hold { } }
      Thread.pass until asks.stop?
      back.close
      [asks, *keepers].each(&:join)
    end
  RUBY

  # Any object may be a connection.
  CONNECTION_POOL = <<~RUBY
    require "connection_pool"
    POOL = ConnectionPool.new(size: SIZE, timeout: 60) { Object.new.freeze }
    def connected = POOL.with { |connection| yield connection }
    def contended
      got = Queue.new
      back = Queue.new
      keepers = Array.new(SIZE) { Thread.new { POOL.with { got << 1; back.pop } } }
      SIZE.times { got.pop }
      asks = Thread.new { POOL.with { } }
      Thread.pass until asks.stop?
      back.close
      [asks, *keepers].each(&:join)
    end
  RUBY

  # Prints what each thread knows: name, when it asked for a connection, got it, began to
  # give it back, and had done so.
  WORK = <<~RUBY
    require "holdup/segment/directory"
    Holdup.start
    contended
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    LOG = Queue.new
    START = Queue.new
    def work(name, seconds, times)
      times.times do
        Holdup.measure(name) do
          asked = now
          got = back = nil
          connected { got = now; sleep(seconds); back = now }
          LOG << [name, asked, got, back, now]
        end
      end
    end
    names = THREADS.flat_map { |name, count| [name] * count }
    threads = names.map { |name| Thread.new { START.pop; work(name, *KEPT.fetch(name)) } }
    START.close
    threads.each(&:join)
    Holdup.stop
    puts JSON.generate(Array.new(LOG.size) { LOG.pop })
  RUBY

  Hold = Struct.new(:name, :asked, :got, :back, :after)

  def test_active_record_with_one_connection = assert_shares(ACTIVE_RECORD, 1)

  def test_active_record_with_five_connections = assert_shares(ACTIVE_RECORD, 5)

  def test_sequel_with_one_connection = assert_shares("POOL_CLASS = :timed_queue\n" + SEQUEL, 1)

  def test_sequel_with_five_connections = assert_shares("POOL_CLASS = :timed_queue\n" + SEQUEL, 5)

  def test_the_gem_connection_pool_with_one_connection = assert_shares(CONNECTION_POOL, 1)

  def test_the_gem_connection_pool_with_five_connections = assert_shares(CONNECTION_POOL, 5)

  def test_sequels_older_pool = assert_shares("POOL_CLASS = :threaded\n" + SEQUEL, 1)

  private

  # The connection goes back at some time between the two that its thread knows.
  def assert_shares(library, size)
    wait_until { compared(*measure(library, size)) }.each do |victim, *truths, found|
      [*truths, found].flat_map(&:keys).uniq.each do |holder|
        *truth, share = [*truths, found].map { |parts| parts.fetch(holder, 0).fdiv(parts.values.sum) }
        assert_includes (truth.min - POINTS)..(truth.max + POINTS), share, "#{victim} waits for #{holder}"
      end
    end
  end

  # Where a thread has no CPU for a while after it has asked, it knows of more time than it has waited, and
  # whom that was for is nobody's to say.
  # @return [Array<Array>, nil] of each that waited for long: its name, what its threads know, twice, and what
  #   was measured; nil where these are not of the same time
  def compared(pairs, waits, holds)
    waits.each { |victim, ns| assert_equal ns, pairs.fetch(victim).values.sum, "parts of #{victim}" }
    long = waits.select { |_, ns| ns >= LONG_NS }.keys
    return unless long.include?("Inventory#show")
    found = long.map do |victim|
      [victim, *%i[back after].map { |ends| expected(holds, victim, ends) }, pairs.fetch(victim)]
    end
    found if found.all? { |_, *parts| alike?(*parts.map { |each| each.values.sum }.values_at(0, -1)) }
  end

  def alike?(one_ns, other_ns) = (one_ns - other_ns).abs <= POINTS * other_ns

  # @return [Array] ns by victim and holder, ns that each waited, and the holds
  def measure(library, size)
    Dir.mktmpdir do |root|
      dir = File.join(root, "segments")
      env = {"HOLDUP_DIR" => dir, "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
      constants = "SIZE = #{size}\nKEPT = #{KEPT}\nTHREADS = #{THREADS.fetch(size)}\n"
      prelude = "$LOAD_PATH.unshift(#{Collecting::LIB.dump})\nrequire \"json\"\nrequire \"holdup\"\n"
      output = fresh_ruby(constants + library + WORK, env:, prelude:, gems: true)
      holds = JSON.parse(output).map { |hold| Hold.new(*hold) }
      [*stored(dir), holds]
    end
  end

  def stored(dir)
    entry = Holdup::Segment::Directory.new(dir).entries.first
    slots, rows = entry.read { |reader| [reader.snapshot.slots, reader.pairs] }
    pairs = Hash.new { |all, victim| all[victim] = {} }
    rows.each do |row|
      series = Holdup::Collector::PairDelta.of(row, 0, slots).series
      pairs[series.name][series.queue] = row.last if series.kind == :pool_pair
    end
    at = Holdup::Segment::Layout::SUMS.index(:pool_wait_ns)
    waits = slots.to_h { |slot| [slot.series.name, slot.sums[at]] }.select { |_, ns| ns.positive? }
    [pairs, waits]
  end

  # @param ends [Symbol] until when a connection was kept: back or after
  # @return [Hash{String => Float}] ns that all waits of that name were for each
  def expected(holds, victim, ends)
    parts = Hash.new(0.0)
    holds.select { |hold| hold.name == victim }.each do |wait|
      overlaps = holds.to_h do |hold|
        [hold, [[hold.public_send(ends), wait.got].min - [hold.got, wait.asked].max, 0].max]
      end
      all = overlaps.values.sum
      overlaps.each { |hold, ns| parts[hold.name] += ns.fdiv(all) * (wait.got - wait.asked) } if all.positive?
    end
    parts.reject { |_, ns| ns.zero? }
  end
end
