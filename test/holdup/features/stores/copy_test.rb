# frozen_string_literal: true

require "test_helper"
require "delegate"
require "holdup/loader"

class Holdup::Stores::CopyTest < Minitest::Test
  include SampleMinutes
  include ExampleUnits

  Copy = Holdup::Stores::Copy
  StoreError = Holdup::StoreError
  START = SampleMinutes::MINUTE_START
  DAY = 86_400
  NOW_S = START + 20 * DAY
  END_S = START + 30 * DAY

  def setup
    @from = Holdup::Store.open("memory:")
    @to = Holdup::Store.open("memory:")
  end

  def test_everything_comes_over_once
    fill(@from)
    result = copy
    assert_predicate result, :complete?
    assert_equal({"a" => 586, "b" => 1}, result.hosts.to_h { |one| [one.host, one.copied] })
    [60, 300, 3600, DAY].each do |seconds|
      assert_equal windows(@from, seconds), windows(@to, seconds), "windows of #{seconds} s"
    end
    %i[checkpoints paths outcomes skipped_rows collector_checkpoints settings].each do |what|
      assert_equal @from.public_send(what).to_set, visible(what), what
    end
    assert_equal @from.processes(0, END_S), @to.processes(0, END_S)
    assert_equal @from.unit_samples(0, END_S).to_a, @to.unit_samples(0, END_S).to_a
    assert_equal 3, slowest(@from).size
    assert_equal slowest(@from), slowest(@to)
  end

  def test_a_second_copy_changes_nothing
    fill(@from)
    copy
    before = [windows(@to, 60), @to.skipped_rows, @to.unit_samples(0, END_S).to_a, slowest(@to)]
    assert_predicate copy, :complete?
    assert_equal before,
      [windows(@to, 60), @to.skipped_rows, @to.unit_samples(0, END_S).to_a, slowest(@to)]
  end

  # Wherever it is interrupted: between two parts, as by Ctrl-C, or by a commit that fails.
  def test_an_interrupted_copy_goes_on_where_it_stopped
    fill(@from)
    parts = 0
    interruptions = 0
    begin
      breaking = Breaking.new(@to, Random.new(7))
      result = Copy.new(from: @from, to: breaking, name: "x", now_s: NOW_S).call { parts += 1 }
    rescue StoreError::Locked
      interruptions += 1
      retry
    end
    assert_operator interruptions, :>, 3
    assert_predicate result, :complete?
    assert_equal windows(@from, 60), windows(@to, 60)
    assert_equal windows(@from, DAY), windows(@to, DAY)
  end

  def test_hosts_of_the_target_stay_and_are_not_counted
    fill(@from)
    @to.commit([minute(3).with(host: "other"), minute(3, name: "B").with(host: "a")], {})
    result = copy
    assert_predicate result, :complete?
    assert_equal 587 + 2, units(@to)
    assert_equal %w[a b], result.hosts.map(&:host).sort
  end

  def test_short_windows_that_the_source_has_pruned_are_longer_in_the_target_too
    fill(@from)
    @from.prune(NOW_S)
    assert_predicate copy, :complete?
    assert_equal [3600], @to.windows(START, START + 3600, seconds: 60).map(&:seconds).uniq
    [60, 3600, DAY].each { |seconds| assert_equal windows(@from, seconds), windows(@to, seconds) }
  end

  def test_tells_what_was_written_to_the_source_meanwhile
    fill(@from)
    result = Copy.new(from: @from, to: @to, name: "x", now_s: NOW_S).call do |at_s, _|
      @from.commit([minute], {}) if at_s == START + 3600
    end
    refute_predicate result, :complete?
    assert_equal [["a", 587, 586], ["b", 1, 1]],
      result.hosts.map { |one| [one.host, one.source, one.copied] }.sort
  end

  # Else the next collector would carry the same units again.
  def test_positions_of_segments_come_over_unless_a_collector_has_its_own_there
    @from.commit([minute], {"a /x/1.segment" => "old", "a /x/2.segment" => "old"})
    @to.commit([], {"a /x/2.segment" => "own"})
    copy
    assert_equal %w[old own], @to.checkpoints.values_at("a /x/1.segment", "a /x/2.segment")
    @from.commit([], {"a /x/1.segment" => "new", "a /x/2.segment" => "new"})
    copy
    assert_equal %w[new own], @to.checkpoints.values_at("a /x/1.segment", "a /x/2.segment")
  end

  # A copy into the store that is now the source, by the same name.
  def test_how_far_another_copy_came_stays_with_the_store_that_it_went_to
    fill(@from)
    copy
    last = Holdup::Store.open("memory:")
    Copy.new(from: @to, to: last, name: "y", now_s: NOW_S).call
    @from = Holdup::Store.open("memory:")
    @from.commit([minute.with(host: "c")], {})
    @to = last
    assert_equal([1], copy.hosts.map(&:copied))
    assert_predicate copy, :complete?
  end

  # What was copied by the minute, the source has only by the day then.
  def test_a_copy_that_is_run_again_after_the_source_was_pruned
    @from.commit([minute(0), minute(7)], {})
    copy
    @from.rollup(END_S)
    @from.prune(END_S)
    assert_predicate copy, :complete?
    assert_equal 2, units(@to)
  end

  def test_an_empty_store_is_copied_too
    assert_predicate copy, :complete?
    assert_equal 0, units(@to)
  end

  # Fails now and then, before or after a commit.
  class Breaking < SimpleDelegator
    def initialize(store, random)
      super(store)
      @random = random
    end

    def commit(...)
      fail_sometimes
      super.tap { fail_sometimes }
    end

    private

    def fail_sometimes
      raise(StoreError::Locked.new(location: "x", seconds: 1)) if @random.rand(9).zero?
    end
  end

  private

  def copy
    Copy.new(from: @from, to: @to, name: "sqlite:///x", now_s: NOW_S).call
  end

  def slowest(store) = store.slowest_units(0, END_S, most: 9)

  # Two days, hour by hour, and of each hour every fifth minute.
  def fill(store)
    minutes = Array.new(576) { |i| minute(5 * i, name: "C#{i % 3}#index", values: [5_000 + i]) }
    late = [minute(70, values: [1, 2]), minute(30 * 24, values: Array.new(8, 9))]
    at_ns = NOW_S * 1_000_000_000
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder: "/x", at_ns:, units: {"s" => 7})
    store.commit([*minutes, *late, minute(5).with(host: "b")], {"a /x/1.segment" => "\xFF".b},
      processes: [{at_s: START + 5, host: "a", pid: 7, rss_bytes: 9}],
      unit_samples: [block(many(3000).first(900), seen: 3000), block([unit_sample(host: "b")], host: "b")],
      slowest: Holdup::SlowestBlock.of([slow_unit, slow_unit(1, host: "b"), slow_unit(61_000)]),
      paths: {minutes.first.series => "/orders/7"}, skipped: [skipped],
      collector_checkpoint:)
    store.keep(outcome)
    store.rollup(NOW_S)
  end

  def skipped
    Holdup::SkippedRow.new(at_s: START, host: "a", kind: :series, name: "A", reason: "broken", count: 3)
  end

  def outcome
    figure = Holdup::PredictionOutcome::Quantity.new(recorded_ns: 1, replayed_ns: 2, predicted_ns: 3,
      measured_ns: 4)
    Holdup::PredictionOutcome.new(at_s: START, app: "shop", kind: :request, pool: "",
      setting: MINUTE_SETTING.fingerprint, from_s: START - DAY, to_s: START, processes: 2, threads: 5,
      time_slice_ns: 100_000_000, units: 9_000, figures: {p95: figure})
  end

  def windows(store, seconds) = store.windows(0, END_S, seconds:).to_set

  # Without the position of the copy itself.
  def visible(what)
    value = @to.public_send(what)
    value = value.reject { |segment, _| segment.start_with?("#copy") } if what == :checkpoints
    value.to_set
  end
end
