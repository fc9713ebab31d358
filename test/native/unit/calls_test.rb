# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/segment/directory"

# Calls as the probe adds them up and the segment keeps them.
class CallsTest < Minitest::Test
  include FreshRuby

  L = Holdup::Segment::Layout

  def setup
    @dir = Dir.mktmpdir("holdup-native-calls")
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def test_the_parts_of_a_call_add_up_to_its_elapsed_time
    write(<<~RUBY)
      sql = PROBE.call_kind("sql primary")
      unit("A#b") { 5.times { call(sql) { burn; sleep 0.002; GC.start } } }
    RUBY
    call = slot("A#b", "sql primary")
    sums = call.named_sums
    elapsed, running, stalled, remote = %i[wall running stalled idle].map { |name| call.histogram(name).sum }
    assert_equal 5, call.count
    assert_equal elapsed, running + stalled + remote
    assert_equal remote, sums.values_at(:io_ns, :lock_ns, :sleep_ns, :native_ns).sum
    assert_operator remote, :>=, 10_000_000
    assert_includes 1..running, sums[:gc_ns]
    assert_operator elapsed, :<=, unit("A#b").histogram(:wall).sum
    assert_equal [5, 5], %i[wall idle].map { |name| call.histogram(name).count }
  end

  def test_the_wait_for_the_gvl_is_not_the_other_systems
    write(<<~RUBY)
      http = PROBE.call_kind("http api")
      stop = false
      hog = Thread.new { burn until stop }
      unit("A#b") { 3.times { call(http) { sleep 0.001 } } }
      stop = true
      hog.join
    RUBY
    call = slot("A#b", "http api")
    assert_operator call.histogram(:stalled).sum, :>, call.histogram(:idle).sum
  end

  def test_a_call_inside_a_call_counts_once
    write(<<~RUBY)
      cache, redis = %w[cache redis].map { |name| PROBE.call_kind(name) }
      unit("A#b") do
        call(cache) { call(redis) { burn } }
        call(redis) { burn }
      end
    RUBY
    assert_equal [1, 1], [slot("A#b", "cache").count, slot("A#b", "redis").count]
  end

  def test_what_turns_out_to_be_no_call_is_forgotten
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      unit("A#b") do
        call(nil) { burn }
        call(99) { burn }
        call(sql, error: true) { burn }
      end
    RUBY
    assert_equal [1, 1], [slot("A#b", "sql").count, slot("A#b", "sql").errors]
    assert_equal 1, calls.size
  end

  def test_calls_belong_to_the_unit_that_they_begin_in
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      call(sql) { burn } # of no unit
      unit("outer") do
        call(sql) { burn }
        unit("inner") { 2.times { call(sql) { burn } } }
      end
      PROBE.cancel(PROBE.enter.tap { call(sql) { burn } })
      PROBE.finish(PROBE.enter.tap { call(sql) { burn } })
      unit("later") { call(sql) { burn } }
    RUBY
    assert_equal({"outer" => 1, "inner" => 2, "later" => 1},
      calls.to_h { |slot| [slot.series.name, slot.count] })
  end

  def test_a_call_that_never_ends_hides_no_call_of_the_next_unit
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      unit("A#b") { PROBE.begin_call }
      unit("A#b") { call(sql) { burn } }
      PROBE.end_call(sql, false)
    RUBY
    assert_equal 1, slot("A#b", "sql").count
  end

  # A unit's longest hold is as long as if nobody had looked at its calls.
  def test_calls_do_not_cut_holds
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      unit("A#b") { 50.times { call(sql) { burn(50) } } }
    RUBY
    found = unit("A#b")
    assert_equal found.histogram(:running).sum, found.histogram(:longest_hold).sum
  end

  def test_calls_of_all_lengths_in_one_unit
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      unit("A#b") do
        180.times do |step|
          call(sql) do
            until_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) + 1_100 * 2**(step / 16.0)
            nil while Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) < until_ns
          end
        end
      end
    RUBY
    call = slot("A#b", "sql")
    assert_equal 180, call.count
    assert_operator call.histogram(:wall).counts.size, :>, 100
    assert_equal 180, call.histogram(:wall).count
    assert_equal call.histogram(:wall).sum, %i[running stalled idle].sum { |name| call.histogram(name).sum }
  end

  # As Active Record's notifications tell of queries.
  QUERIES = <<~RUBY
    Connection = Struct.new(:name) do
      def kind = instance_variable_get(:@holdup_call_kind)
    end
    asked = []
    EVENTS = PROBE.query_events(->(connection) { asked << connection; PROBE.call_kind(connection.name) })
    def query(connection, **payload)
      payload = {sql: "SELECT 1", connection:, **payload}
      EVENTS.start("sql.active_record", "id", payload)
      burn
      EVENTS.finish("sql.active_record", "id", payload)
    end
  RUBY

  def test_a_query_is_a_call_of_the_kind_of_its_connection
    write(<<~RUBY)
      #{QUERIES}
      one, two = ["sql primary", "sql animals"].map { |name| Connection.new(name) }
      unit("A#b") do
        [one, two, two].each { |connection| query(connection) }
        query(two, exception: ["ActiveRecord::StatementInvalid", "no such table"])
        query(Connection.new("sql frozen").freeze)
      end
      query(one) # of no unit
      raise "asked \#{asked.size} times" unless asked.size == 3
      raise "not remembered" unless one.kind == PROBE.call_kind("sql primary")
    RUBY
    assert_equal({"sql primary" => [1, 0], "sql animals" => [3, 1], "sql frozen" => [1, 0]},
      calls.to_h { |slot| [slot.series.queue, [slot.count, slot.errors]] })
  end

  # As Active Record's method ends them, in a pool of connections.
  LOGGED = <<~RUBY
    asked = 0
    LOGGED = PROBE.query_events(->(kind) { (asked += 1) && kind })
    def logged(pool, kind, answered = true)
      LOGGED.begin_query(pool)
      burn
      LOGGED.end_query(pool, kind, "SELECT 1", answered)
      true
    end
  RUBY

  def test_a_query_ends_as_a_call_does
    write(<<~RUBY)
      #{LOGGED}
      sql = PROBE.call_kind("sql")
      ends = [[sql, true], [sql, nil], [nil, true], [1_000, true]]
      unit("A#b") { ends.each { |kind, answered| logged(Object.new, kind, answered) } }
      logged(Object.new, sql) # of no unit
    RUBY
    assert_equal [2, 1], [slot("A#b", "sql").count, slot("A#b", "sql").errors]
  end

  # A pool that is gone leaves its address to another one.
  def test_the_kind_of_a_pool_is_asked_once_until_garbage_is_collected
    write(<<~RUBY)
      #{LOGGED}
      one, two = %w[one two].map { |name| PROBE.call_kind(name) }
      pool = Object.new
      GC.disable
      unit("A#b") { logged(pool, one) && logged(pool, two) }
      raise "asked \#{asked} times" unless asked == 1
      GC.enable
      GC.start
      unit("A#b") { logged(pool, two) }
      raise "not asked again" unless asked == 2
    RUBY
    assert_equal [2, 1], [slot("A#b", "one").count, slot("A#b", "two").count]
  end

  def test_what_the_query_cache_answers_and_payloads_of_other_shapes_are_no_calls
    write(<<~RUBY)
      #{QUERIES}
      unit("A#b") do
        query(Connection.new("sql"), cached: true)
        query(nil)
        EVENTS.start("sql.active_record", "id", nil)
        EVENTS.finish("sql.active_record", "id", nil)
        other = PROBE.query_events(->(_connection) {})
        2.times { |number| other.start("", "", {}); other.finish("", "", {connection: number}) }
        query(Connection.new("sql"), cached: false)
      end
    RUBY
    assert_equal 1, slot("A#b", "sql").count
    assert_equal 1, calls.size
  end

  def test_beyond_the_limit_calls_of_a_kind_share_a_series
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      25.times { |number| unit("A\#{number}") { call(sql) { burn } } }
    RUBY
    assert_equal 21, calls.size
    assert_equal 5, slot("(series beyond the limit)", "sql").count
    assert_equal 25, calls.sum(&:count)
  end

  def test_kinds_beyond_the_table_are_others
    write(<<~RUBY)
      kinds = Array.new(70) { |number| PROBE.call_kind("http host\#{number}") }
      raise "not the same" unless PROBE.call_kind("http host3") == kinds[3]
      unit("A#b") { [kinds[3], kinds.last].each { |kind| call(kind) { burn } } }
    RUBY
    assert_equal ["http host3", "others"], calls.map { |slot| slot.series.queue }.sort
  end

  # A host for each tenant would take all places, and what comes later would have no name for good.
  def test_hosts_of_tenants_share_a_kind_when_few_places_are_left
    write(<<~RUBY)
      500.times { |number| PROBE.call_kind("http tenant-\#{number}.shop.example") }
      500.times { |number| PROBE.call_kind("sql 10.0.\#{number / 250}.\#{number % 250}:5432") }
      tenants = ["http tenant-499.shop.example", "sql 10.0.1.249:5432"]
      late = [*tenants, "http api.payments.example", "redis cache"]
      kinds = late.map { |name| PROBE.call_kind(name) }
      unit("A#b") { kinds.each { |kind| call(kind) { burn } } }
    RUBY
    assert_equal ["http *.payments.example", "http *.shop.example", "redis cache", "sql *.*.*.*:*"],
      calls.map { |slot| slot.series.queue }.sort
  end

  def test_threads_that_follow_their_fibers_have_no_calls
    write(<<~RUBY)
      PROBE.follow_fibers(true)
      sql = PROBE.call_kind("sql")
      unit("A#b") { call(sql) { burn } }
    RUBY
    assert_empty calls
    assert_equal 1, unit("A#b").count
  end

  def test_a_call_that_is_begun_before_measuring_stops_is_dropped
    write(<<~RUBY)
      sql = PROBE.call_kind("sql")
      handle = PROBE.enter
      PROBE.begin_call
      PROBE.disable
      PROBE.end_call(sql, false)
      PROBE.enable
      PROBE.record(handle, 1, "A#b", nil, nil, false)
      unit("A#b") { call(sql) { burn } }
    RUBY
    assert_equal 1, slot("A#b", "sql").count
  end

  private

  def snapshot
    @snapshot ||= Holdup::Segment::Reader.open(Dir["#{@dir}/*.segment"].first, gone: true, &:snapshot)
  end

  def calls = snapshot.slots.select { |slot| slot.series.kind == :call }

  def slot(name, kind) = snapshot.slot(name, kind: :call, queue: kind)

  def unit(name) = snapshot.slot(name)

  def write(script)
    fresh_ruby(<<~RUBY)
      PROBE = Holdup::Probe
      def burn(times = 1000) = times.times { Math.sqrt(2) }
      def unit(name)
        handle = PROBE.enter
        yield
        PROBE.record(handle, 1, name, nil, nil, false)
      end
      def call(kind, error: false)
        PROBE.begin_call
        yield
        PROBE.end_call(kind, error)
      end
      PROBE.open_segment(#{File.join(@dir, "1-1.segment").dump}, 20, 128, 3, 7)
      PROBE.enable
      #{script}
      PROBE.tick([])
      PROBE.close_segment
    RUBY
  end
end
