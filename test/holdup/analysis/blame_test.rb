# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::BlameTest < Minitest::Test
  Entry = Holdup::Analysis::WindowTable::WindowEntry
  MS = 1_000_000
  ONE = Holdup::Setting.new(attributes: {"threads" => 5})
  TWO = Holdup::Setting.new(attributes: {"threads" => 3})

  def test_what_was_suffered_was_caused_or_handed_off
    entries = [entry("A", stalled: 60, caused: 20), entry("B", stalled: 40, caused: 70)]
    blame = Holdup::Analysis::Blame.of(entries, handoffs: [handoff(10)])
    assert_equal [100 * MS, 90 * MS, 10 * MS], [blame.suffered_ns, blame.caused_ns, blame.handoff_ns]
    assert_equal 0.0, blame.gap
  end

  def test_who_caused_most_comes_first
    blame = blame(entry("A", stalled: 60, caused: 20), entry("B", stalled: 40, caused: 80))
    assert_equal %w[B A], blame.series.map(&:name)
    assert_equal "B", blame.main_cause.name
    assert_equal [0.8, 0.2], blame.series.map { |account| blame.caused_share(account) }
  end

  # A thread that waits for work holds up no user.
  def test_shares_are_of_the_stall_of_requests
    blame = blame(entry("A", stalled: 50, caused: 50), account("worker", stalled: 50, caused: 50))
    assert_equal 50 * MS, blame.units_suffered_ns
    assert_equal [0.5, 0.5], [*blame.series, *blame.accounts].map { |one| blame.caused_share(one) }
    assert_equal %w[worker], blame.accounts.map(&:name)
  end

  # Threads of one setting suffered alone: who held the GVL there kept no request waiting.
  def test_a_setting_without_waiting_requests_has_no_part
    blame = blame(entry("A", stalled: 100, caused: 50),
      account("idle", stalled: 100, caused: 150, setting: TWO))
    assert_equal "A", blame.main_cause.name
    assert_equal 0.0, blame.caused_share(blame.accounts.first)
  end

  # A request in a request: both have its time.
  def test_nested_ones_are_taken_off
    blame = blame(entry("A", stalled: 60, caused: 60), entry("A", kind: :nested, stalled: 10, caused: 10))
    assert_equal [50 * MS, 50 * MS], [blame.suffered_ns, blame.caused_ns]
    assert_equal [-10 * MS, -10 * MS], [blame.nested.suffered, blame.nested.caused]
    assert_equal %w[A], blame.series.map(&:name)
  end

  # The request suffered half of all stall, and not six tenths.
  def test_nested_ones_are_no_part_of_what_requests_suffered
    blame = blame(entry("A", stalled: 60), entry("A", kind: :nested, stalled: 10),
      account("worker", stalled: 50, caused: 100))
    assert_equal 50 * MS, blame.accounts.first.caused_to_units
  end

  # Before all holders have ended, one side is ahead.
  def test_no_share_exceeds_the_whole
    blame = blame(entry("A", stalled: 40, caused: 100))
    assert_equal 1.0, blame.caused_share(blame.series.first)
    assert_in_delta 0.6, blame.gap
  end

  def test_the_hand_off_has_its_share
    blame = Holdup::Analysis::Blame.of([entry("A", stalled: 100, caused: 90)], handoffs: [handoff(10)])
    assert_in_delta 0.1, blame.handoff_share
  end

  def test_nothing_at_all
    blame = blame(entry("A"))
    assert_equal [0.0, 0.0, 0.0], [blame.gap, blame.handoff_share, blame.caused_share(blame.series.first)]
    assert_nil blame.series.first.stall_per_unit
    assert_nil blame.series.first.stall_per_acquisition
  end

  private

  def blame(*entries) = Holdup::Analysis::Blame.of(entries, handoffs: [])

  def entry(name, kind: :request, stalled: 0, caused: 0, setting: ONE)
    histograms = {stalled: Holdup::Histogram.of_sum(stalled * MS)}
    window = SampleWindows.new.window(name, kind:, histograms:, sums: {caused_ns: caused * MS})
    Entry.new(window:, setting:)
  end

  def account(name, **facts) = entry(name, kind: :account, **facts)

  def handoff(caused) = account("(handoff)", caused:)
end
