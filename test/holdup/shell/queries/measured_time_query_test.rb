# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/burst_store"

class Holdup::Queries::MeasuredTimeQueryTest < Minitest::Test
  START_S = BurstStore::START_S
  DAY_S = BurstStore::DAY_S

  def test_seconds_of_a_short_recording
    covered = read(burst(10, 17.6, 900))
    assert_in_delta 7.6, covered.total_s, 0.02
    assert_in_delta 118.4, covered.rate(900), 0.5
    assert covered.exact
  end

  # The collector saw all of them in the next minute.
  def test_units_that_are_counted_in_the_minute_after_they_began
    covered = read(burst(56, 63.6, 900), late_s: 5)
    assert_in_delta 7.6, covered.total_s, 0.02
  end

  def test_a_cut_through_a_recording
    covered = read(burst(0, 600, 6000), from_s: 120, to_s: 240)
    assert_in_delta 120, covered.total_s, 2
  end

  def test_pauses_in_which_nothing_was_running
    covered = read(burst(0, 60, 600), burst(3600, 3660, 600, pid: 8, born_s: 3595))
    assert_in_delta 125, covered.total_s, 0.2
  end

  def test_pauses_of_a_process_without_work
    covered = read(burst(0, 60, 600), burst(3600, 3660, 600, born_s: -300))
    assert_in_delta 3660, covered.total_s, 0.2
  end

  def test_only_the_kind_and_the_settings_that_are_asked_for
    other = Holdup::Setting.new(attributes: {"threads" => 3})
    store = BurstStore.new(burst(0, 600, 600), burst(60, 90, 30, kind: :job),
      burst(120, 180, 60, setting: other)).open
    seconds = lambda do |**which|
      Holdup::Queries::MeasuredTimeQuery.call(store, from_s: START_S, to_s: START_S + 900, **which).total_s
    end
    assert_in_delta 600, seconds.call(kinds: [:request]), 1
    assert_in_delta 30, seconds.call(kinds: [:job]), 1
    assert_in_delta 60, seconds.call(settings: [other]), 1
    assert_equal 0, seconds.call(settings: [])
  end

  def test_minutes_where_no_unit_is_kept_singly
    covered = read(burst(10, 17.6, 900), singles: false)
    assert_equal 60, covered.total_s
    refute covered.exact
  end

  def test_what_is_older_than_single_units
    store = BurstStore.new(burst(0, 3600, 600), singles: false).open
    late = BurstStore.new(burst(7200, 7205, 60))
    store.commit(late.send(:windows), {}, unit_samples: Holdup::SampleBlock.of(late.send(:unit_samples)))
    covered = Holdup::Queries::MeasuredTimeQuery.call(store, from_s: START_S, to_s: START_S + DAY_S)
    assert_in_delta 7205, covered.total_s, 0.2
    refute covered.exact
  end

  def test_nothing_was_recorded
    empty = Holdup::Store.open("memory:")
    assert_empty Holdup::Queries::MeasuredTimeQuery.call(empty, from_s: START_S, to_s: START_S + DAY_S)
  end

  # Whatever span is asked for around it, and however long the windows are that are left.
  one_ruby def test_the_same_time_in_any_span_of_any_windows
    10.times do |seed|
      random = Random.new(seed)
      recorded = BurstStore.new(*bursts(random), late_s: random.rand(0..5), idle_s: random.rand(0..1) * 2400)
      expected = nil
      BurstStore::AGES_S.each_key do |finest_s|
        store = recorded.open(finest_s:)
        [0, *Array.new(3) { random.rand(1..3 * DAY_S) }].each do |around_s|
          covered = Holdup::Queries::MeasuredTimeQuery.call(store, from_s: START_S - around_s,
            to_s: START_S + 20_000 + around_s)
          expected ||= covered
          assert_equal expected, covered, "seed #{seed}, windows of #{finest_s} s, #{around_s} s around it"
        end
      end
    end
  end

  private

  def burst(from_s, to_s, count, **options)
    BurstStore::Burst.new(from_s:, to_s:, count:, **options)
  end

  def bursts(random)
    at_s = 0
    Array.new(random.rand(1..3)) do |index|
      from_s = at_s + random.rand(1..3000)
      at_s = from_s + random.rand(5..900)
      burst(from_s, at_s, random.rand(50..200), pid: 7 + index, born_s: from_s - random.rand(1..200))
    end
  end

  def read(*bursts, from_s: -DAY_S, to_s: DAY_S, **options)
    Holdup::Queries::MeasuredTimeQuery.call(BurstStore.new(*bursts, **options).open,
      from_s: START_S + from_s, to_s: START_S + to_s)
  end
end
