# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::UnitTransactionsTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new

  # Times of each transaction in ms.
  def transactions(name, count: 50, idle: 8, stalled: 6, starved: 1, ruby: 2, queue: "sql primary", **options)
    waits = Holdup::Histogram.of([idle * MS] * count)
    wall = Holdup::Histogram.of([(idle + stalled + starved + ruby) * MS] * count)
    running = Holdup::Histogram.of_sum((starved + ruby) * count * MS)
    stalled = Holdup::Histogram.of_sum(stalled * count * MS)
    SAMPLE.window(name, kind: :transaction, queue:, count:, sums: {starved_ns: starved * count * MS},
      histograms: {wall:, idle: waits, running:, stalled:}, **options)
  end

  # Calls of which each waits so long for its answer, in ms.
  def calls(name, queue, remote, count: 50)
    idle = Holdup::Histogram.of([remote * MS] * count)
    SAMPLE.window(name, kind: :transaction_call, queue:, count:, histograms: {wall: idle, idle:})
  end

  def units(name, count: 100)
    SAMPLE.window(name, count:, histograms: {wall: Holdup::Histogram.of([40 * MS] * count)})
  end

  def all(*windows, units: [units("A#a")]) = Holdup::Analysis::UnitTransactions.all(windows, units:)

  def parts(line)
    names = %i[database_ns other_calls_ns other_waits_ns stalled_ns starved_ns ruby_ns]
    names.map { |name| line.public_send(name) }
  end

  def test_its_parts_add_up_to_the_time_that_it_is_open
    line = all(transactions("A#a"), calls("A#a", "sql primary", 3), calls("A#a", "http api", 4)).first
    assert_equal [3, 4, 1, 6, 1, 2].map { |ms| ms * 50 * MS }, parts(line)
    assert_equal line.open.sum, parts(line).sum
    assert_equal [50, 0.5, 17 * MS], [line.count, line.each, line.longest_ns]
    assert_equal [["http", "api"]], line.other_calls.map { |call| [call.system, call.target] }
    assert_in_delta 6 / 17.0, line.share_of_open(line.stalled_ns)
  end

  # A call counts in the transactions of both databases.
  def test_calls_never_take_more_than_the_waits
    line = all(transactions("A#a"), calls("A#a", "sql primary", 7), calls("A#a", "http api", 4)).first
    assert_equal [7, 1, 0], parts(line).first(3).map { |ns| ns / 50 / MS }
    assert_equal line.open.sum, parts(line).sum
  end

  def test_another_database_is_another_system
    line = all(transactions("A#a"), calls("A#a", "sql primary", 1), calls("A#a", "sql animals", 2)).first
    assert_equal [1, 2], parts(line).first(2).map { |ns| ns / 50 / MS }
  end

  def test_minutes_are_added_up_and_databases_are_not
    later = transactions("A#a", start_s: SampleWindows::START_S + 60)
    found = all(transactions("A#a"), later, transactions("A#a", queue: "sql", count: 10))
    assert_equal [["primary", 100], [nil, 10]], found.map { |line| [line.target, line.count] }
  end

  def test_those_of_units_that_were_not_chosen_are_left_out
    assert_empty all(transactions("B#b"), calls("B#b", "sql primary", 1))
  end
end
