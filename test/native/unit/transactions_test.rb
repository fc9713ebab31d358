# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/segment/directory"

# Database transactions as the probe adds them up and the segment keeps them.
class TransactionsTest < Minitest::Test
  include FreshRuby

  def setup
    @dir = Dir.mktmpdir("holdup-native-transactions")
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def test_the_parts_of_a_transaction_add_up_to_the_time_that_it_is_open
    write(<<~RUBY)
      unit("A#b") { 3.times { transaction(SQL) { burn(20_000); sleep 0.002 } } }
    RUBY
    found = transaction("A#b")
    sums = found.named_sums
    elapsed, running, stalled, idle = %i[wall running stalled idle].map { |name| found.histogram(name).sum }
    assert_equal [3, 0], [found.count, found.errors]
    assert_equal elapsed, running + stalled + idle
    assert_equal idle, sums.values_at(:io_ns, :lock_ns, :sleep_ns, :native_ns).sum
    assert_equal running, sums.values_at(:cpu_ns, :starved_ns).sum
    assert_operator sums[:cpu_ns], :>, 0
    assert_operator idle, :>=, 6_000_000
    assert_operator elapsed, :<=, unit("A#b").histogram(:wall).sum
    assert_operator found.histogram(:wall).max, :<, elapsed
  end

  def test_calls_while_one_is_open_are_known_apart
    write(<<~RUBY)
      http = PROBE.call_kind("http api")
      unit("A#b") do
        call(SQL) { burn }
        transaction(SQL) do
          2.times { call(SQL) { burn } }
          call(http) { sleep 0.002 }
        end
        call(http) { burn }
      end
    RUBY
    assert_equal({"sql primary" => 2, "http api" => 1},
      slots(:transaction_call).to_h { |slot| [slot.series.queue, slot.count] })
    assert_equal({"sql primary" => 3, "http api" => 2},
      slots(:call).to_h { |slot| [slot.series.queue, slot.count] })
    inside = slots(:transaction_call).sum { |slot| slot.histogram(:wall).sum }
    assert_operator inside, :<=, transaction("A#b").histogram(:wall).sum
  end

  def test_the_wait_for_the_gvl_is_in_it
    write(<<~RUBY)
      stop = false
      hog = Thread.new { burn until stop }
      unit("A#b") { transaction(SQL) { 3.times { sleep 0.001 } } }
      stop = true
      hog.join
    RUBY
    found = transaction("A#b")
    assert_operator found.histogram(:stalled).sum, :>, found.histogram(:wall).sum / 2
  end

  # Its rows are free as soon as COMMIT is answered.
  def test_the_wait_for_the_gvl_after_the_last_statement_is_not
    write(<<~RUBY)
      stop = false
      hog = Thread.new { burn until stop }
      unit("A#b") { transaction(SQL) { call(SQL) { sleep 0.001 } } }
      stop = true
      hog.join
    RUBY
    assert_operator slots(:call).first.histogram(:stalled).sum, :>, 0
    assert_operator transaction("A#b").histogram(:stalled).sum, :<, slots(:call).first.histogram(:stalled).sum
  end

  def test_two_databases_have_transactions_at_the_same_time
    write(<<~RUBY)
      other = PROBE.call_kind("sql other")
      unit("A#b") { transaction(SQL) { transaction(other, error: true) { burn } } }
      unit("A#b") do
        PROBE.begin_transaction(SQL)
        transaction(other) { burn }
        PROBE.end_transaction(SQL, false)
      end
    RUBY
    assert_equal({"sql primary" => [2, 0], "sql other" => [2, 1]},
      slots(:transaction).to_h { |slot| [slot.series.queue, [slot.count, slot.errors]] })
  end

  # A connection that is lost takes its transaction along; the next BEGIN is that of the next one.
  def test_what_never_ended_is_not_recorded
    write(<<~RUBY)
      unit("A#b") { PROBE.begin_transaction(SQL); sleep 0.01; transaction(SQL) { burn } }
      unit("A#b") { PROBE.begin_transaction(SQL) }
      unit("A#b") { PROBE.end_transaction(SQL, false) }
      unit("A#b") { PROBE.begin_transaction(SQL); PROBE.end_transaction(SQL, nil) }
      raise "not refused" if PROBE.begin_transaction(SQL) || PROBE.begin_transaction(nil)
      unit("A#b") { raise "a fifth one" if Array.new(5) { |kind| PROBE.begin_transaction(kind) }.last }
    RUBY
    assert_equal 1, transaction("A#b").count
    assert_operator transaction("A#b").histogram(:wall).sum, :<, 10_000_000
  end

  def test_one_belongs_to_the_unit_that_it_begins_in
    write(<<~RUBY)
      unit("outer") do
        transaction(SQL) { unit("inner") { transaction(SQL) { call(SQL) { burn } } } }
      end
    RUBY
    assert_equal({"outer" => 1, "inner" => 1},
      slots(:transaction).to_h { |slot| [slot.series.name, slot.count] })
    assert_equal ["inner"], slots(:transaction_call).map { |slot| slot.series.name }
  end

  def test_beyond_the_limit_all_share_a_series
    write(<<~RUBY)
      140.times do |number|
        kind = PROBE.call_kind("sql \#{number % 30}")
        unit("A\#{number}") { transaction(kind) { burn } }
      end
    RUBY
    beyond = snapshot.slot("(series beyond the limit)", kind: :transaction)
    assert_equal 12, beyond.count
    assert_equal 140, slots(:transaction).sum(&:count)
  end

  def test_threads_that_follow_their_fibers_have_none
    write(<<~RUBY)
      PROBE.follow_fibers(true)
      unit("A#b") { transaction(SQL) { burn } }
    RUBY
    assert_empty slots(:transaction)
    assert_equal 1, unit("A#b").count
  end

  private

  def snapshot
    @snapshot ||= Holdup::Segment::Reader.open(Dir["#{@dir}/*.segment"].first, gone: true, &:snapshot)
  end

  def slots(kind) = snapshot.slots.select { |slot| slot.series.kind == kind }

  def transaction(name) = snapshot.slot(name, kind: :transaction, queue: "sql primary")

  def unit(name) = snapshot.slot(name)

  def write(script)
    fresh_ruby(<<~RUBY)
      PROBE = Holdup::Probe
      SQL = PROBE.call_kind("sql primary")
      def burn(times = 1000) = times.times { Math.sqrt(2) }
      def unit(name)
        handle = PROBE.enter
        yield
        PROBE.record(handle, 1, name, nil, nil, false)
      end
      def call(kind)
        PROBE.begin_call
        yield
        PROBE.end_call(kind, false)
      end
      def transaction(kind, error: false)
        PROBE.begin_transaction(kind)
        yield
        PROBE.end_transaction(kind, error)
      end
      PROBE.open_segment(#{File.join(@dir, "1-1.segment").dump}, 200, 128, 3, 7)
      PROBE.enable
      #{script}
      PROBE.tick([])
      PROBE.close_segment
    RUBY
  end
end
