# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::DiagnosisTest < Minitest::Test
  MS = 1_000_000

  def shape(ms, blame: 1, acquisitions: 3) = {ms:, acquisitions:, units: 100, blame:}

  def diagnosis(ms, more: {}, sums: {}, **parts)
    units = {"A#b" => shape(ms), "Z#z" => shape({cpu: 5, stalled: 1}, blame: 50)}.merge(more)
    sample = SampleWindows.new(units:, accounts: {}, minutes: 1)
    windows = sample.to_a.map do |window|
      (window.series.name == "A#b") ? window.with(sums: window.sums.merge(sums)) : window
    end
    summary = Holdup::Analysis::Summary.new([*windows, *sample.pairs], from_s: sample.from_s,
      to_s: sample.to_s, pairs: sample.pairs, **parts)
    row = summary.rows.find { |one| one.name == "A#b" }
    Holdup::Report::Diagnosis.new(summary).of(row)
  end

  # @param kind [Symbol] of calls, repeated queries, transactions
  def window(kind, queue, idle_ms: 0, wall_ms: idle_ms, count: 100)
    times = {idle: idle_ms, wall: wall_ms}
    histograms = times.transform_values { |ms| Holdup::Histogram.of([ms * MS] * count) }
    SampleWindows.new.window("A#b", kind:, queue:, count:, histograms:)
  end

  {gvl: {cpu: 2, stalled: 20, io: 3}, starved: {cpu: 5, starved: 20}, io: {cpu: 2, io: 40},
   sleep: {cpu: 2, sleep: 40}, native: {cpu: 2, native: 40}, lock: {cpu: 2, lock: 40},
   cpu: {cpu: 40, io: 5}}.each do |key, ms|
    define_method(:"test_names_#{key}_where_it_takes_most_of_the_time") do
      found = diagnosis(ms)

      assert_equal key, found.key
      assert_in_delta ms.fetch({gvl: :stalled}.fetch(key, key)).fdiv(ms.values.sum), found.share, 0.1
    end
  end

  def test_names_who_keeps_the_others_waiting_for_that_first
    units = {"A#b" => shape({cpu: 50, io: 60}, blame: 80), "C#d" => shape({cpu: 5, stalled: 80}, blame: 5)}
    found = diagnosis({}, more: units)

    assert_equal :holder, found.key
    assert_operator found.share, :>=, Holdup::Analysis::Thresholds::CAUSED
    assert_operator found.facts[:hold_ns].to_f, :>=, 0
  end

  def test_names_waits_for_connections_instead_of_sleep
    found = diagnosis({cpu: 2, sleep: 40}, sums: {pool_wait_ns: 100 * 38 * MS})

    assert_equal :pool, found.key
  end

  def test_names_the_system_that_takes_most_of_the_io
    found = diagnosis({cpu: 2, io: 40}, calls: [window(:call, "http api", idle_ms: 30)])

    assert_equal :upstream, found.key
    assert_equal ["http", "api"], [found.facts[:call].system, found.facts[:call].target]
    assert_in_delta 30 * MS, found.facts[:each_ns], 3 * MS
    assert_equal :io, diagnosis({cpu: 2, io: 40}, calls: [window(:call, "http api", idle_ms: 5)]).key
  end

  def test_names_repeated_queries_before_the_state_that_they_are_a_part_of
    repeated = window(:repeat, "app/models/order.rb:7 total", idle_ms: 1, count: 2400)
    found = diagnosis({cpu: 2, io: 40}, repeats: [repeated])

    assert_equal :n_plus_one, found.key
    assert_in_delta 24, found.facts[:each]
    assert_equal "app/models/order.rb:7 total", found.facts[:place]
  end

  def test_names_a_transaction_that_is_open_during_calls
    parts = {transactions: [window(:transaction, "sql primary", idle_ms: 40),
      window(:transaction_call, "http api", idle_ms: 35)]}
    found = diagnosis({cpu: 2, io: 40}, **parts)

    assert_equal :transaction, found.key
    assert_equal "http", found.facts[:call].system
  end

  def test_names_garbage_collection_where_it_is_most_of_the_computing
    assert_equal :memory, diagnosis({cpu: 40, io: 5}, sums: {gc_ns: 100 * 30 * MS}).key
    assert_equal :cpu, diagnosis({cpu: 40, io: 5}, sums: {gc_ns: 100 * 6 * MS}).key
  end
end
