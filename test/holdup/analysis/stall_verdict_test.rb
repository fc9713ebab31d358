# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::StallVerdictTest < Minitest::Test
  def verdict(units: SampleWindows::STOREFRONT, **options)
    sample = SampleWindows.new(units:, minutes: 1, **options)
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    Holdup::Analysis::StallVerdict.new(summary).call
  end

  def unit(ms, blame: 1)
    {ms: {stalled: 0, **ms}, acquisitions: 4, units: 100, blame:}
  end

  def test_one_cause
    result = verdict
    assert_equal :one_cause, result.key
    assert_equal "ReportsController#sales", result.facts[:cause].name
    assert_in_delta 80.0 / 740, result.facts[:count_share]
    assert_in_delta 0.7, result.facts[:share], 0.05
  end

  # An endpoint's page asks for its own stall, not for all.
  def test_whom_the_requests_of_one_name_waited_for
    sample = SampleWindows.new
    found = %w[OrdersController#index ReportsController#sales].map do |name|
      filter = Holdup::Analysis::UnitFilter.new(name:)
      summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s, filter:,
        pairs: sample.pairs)
      Holdup::Analysis::StallVerdict.new(summary).call
    end
    assert_equal %i[waits_for waits_for_own], found.map(&:key)
    assert_equal ["ReportsController#sales"] * 2, found.map { |one| one.facts[:cause].name }
    found.each { |one| assert_in_delta 0.7, one.facts[:share], 0.05 }
  end

  def test_what_the_holder_does_is_read_only_where_there_is_one
    sample = SampleWindows.new
    {"Orders*" => %i[pairs holding_methods calls], nil => []}.each do |name, parts|
      filter = Holdup::Analysis::UnitFilter.new(name:)
      span = {from_s: sample.from_s, to_s: sample.to_s}
      summary = Holdup::Analysis::Summary.new(sample.to_a, **span, filter:, pairs: sample.pairs)
      assert_equal [:samples, *parts], Holdup::Analysis::StallVerdict.parts(summary)
      unread = Holdup::Analysis::Summary.new(sample.to_a, **span, filter:,
        **Holdup::Analysis::SummaryParts.unread)
      assert_equal parts.first(1), Holdup::Analysis::StallVerdict.parts(unread) - [:samples, :coverage]
    end
  end

  def test_without_pairs_the_cause_of_all_stall_is_named
    sample = SampleWindows.new
    filter = Holdup::Analysis::UnitFilter.new(name: "Orders*")
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s, filter:)
    assert_equal :one_cause, Holdup::Analysis::StallVerdict.new(summary).call.key
  end

  def test_no_single_cause
    units = %w[A B C D].to_h { |name| [name, unit({cpu: 10, stalled: 8})] }
    assert_equal :spread, verdict(units:).key
  end

  def test_a_cause_that_stands_out_from_many
    units = (1..12).to_h { |i| ["U#{i}", unit({cpu: 10, stalled: 8}, blame: (i == 3) ? 5 : 1)] }
    result = verdict(units:, accounts: {})
    assert_equal [:one_cause, "U3"], [result.key, result.facts[:cause].name]
    assert_operator result.facts[:share], :<, 0.4
  end

  def test_a_thread_outside_units
    units = {"A" => unit({cpu: 1, stalled: 8}, blame: 0)}
    result = verdict(units:, accounts: {"thread:poller" => 0.1})
    assert_equal [:account_cause, "thread:poller"], [result.key, result.facts[:cause].name]
  end

  def test_handoff
    assert_equal :handoff, verdict(handoff: 0.7).key
  end

  def test_starved
    assert_equal :starved, verdict(units: {"A" => unit({cpu: 10, starved: 6})}).key
  end

  def test_what_units_wait_for_when_they_do_not_stall
    {io: {io: 90, cpu: 8}, lock: {lock: 40, cpu: 9}, sleep: {sleep: 50, cpu: 9},
     native: {native: 80, cpu: 9}, cpu: {cpu: 90, io: 9}}
      .each { |key, ms|
      assert_equal key, verdict(units: {"A" => unit(ms)}).key
    }
  end

  def test_locks_that_dwarf_the_stall_come_first
    assert_equal :lock, verdict(units: {"A" => unit({lock: 70, stalled: 8, cpu: 10})}).key
    refute_equal :lock, verdict(units: {"A" => unit({lock: 40, stalled: 30, cpu: 10})}).key
  end

  def test_is_calm_when_no_cause_dominates
    assert_equal :calm, verdict(units: {"A" => unit({cpu: 40, io: 40, lock: 15, sleep: 15, native: 15})}).key
  end

  def test_a_stall_that_is_small_in_the_mean_and_large_in_the_tail
    sample = SampleWindows.new
    spikes = Array.new(990, 0) + Array.new(10, 500_000_000)
    window = sample.window("A", count: 1000, sums: {cpu_ns: 97_000_000_000, caused_ns: 5_000_000_000},
      histograms: {wall: Holdup::Histogram.of(spikes.map { |ns| ns + 97_000_000 }),
                   stalled: Holdup::Histogram.of(spikes.map { |ns| ns + 25_000_000 })})
    summary = Holdup::Analysis::Summary.new([window], from_s: sample.from_s, to_s: sample.to_s)
    refute_equal :cpu, Holdup::Analysis::StallVerdict.new(summary).call.key
  end

  def test_no_data
    summary = Holdup::Analysis::Summary.new([], from_s: 0, to_s: 60)
    assert_equal :no_data, Holdup::Analysis::StallVerdict.new(summary).call.key
  end
end
