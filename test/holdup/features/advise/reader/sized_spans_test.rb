# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/burst_store"
require_relative "../../../../support/played_store"

# Advice is of what was recorded: neither empty time around it nor the windows that happen to be left change
# it.
class Holdup::Advise::Reader::SizedSpansTest < Minitest::Test
  HOUR_S = 3600
  START_S = BurstStore::START_S
  Sizing = Holdup::Advise::Sizing

  # All that a verdict is made from.
  Made = Data.define(:units, :throughput, :peak, :mean, :demand, :limits, :ceiling, :problems, :singly,
    :levers) do
    def self.of(sized)
      found = sized.recommendation
      machine = sized.summary.processes.smallest_machine
      recording = found.recording
      new(units: recording.units, throughput: sized.summary.throughput, peak: found.traffic.peak_rate,
        mean: found.traffic.mean_rate, demand: recording.demand.to_h, limits: found.limits.to_h,
        ceiling: machine.ceiling.range.minmax, problems: recording.problems, singly: recording.unit_samples,
        levers: sized.lately.size)
    end
  end

  one_ruby def test_any_empty_time_around_a_recording_changes_nothing
    3.times do |seed|
      random = Random.new(seed)
      recorded = BurstStore.new(burst(random), idle_s: random.rand(0..2) * HOUR_S, late_s: random.rand(0..5))
      BurstStore::AGES_S.each_key do |finest_s|
        store = recorded.open(finest_s:)
        exact = made(store, 0, 1200)
        4.times do
          from_s = -random.rand(0..60 * HOUR_S)
          to_s = 1200 + random.rand(0..30 * HOUR_S)
          said = "seed #{seed}, windows of #{finest_s} s, from #{from_s} to #{to_s}"
          assert_equal exact, made(store, from_s, to_s), said
        end
      end
    end
  end

  # Of longer windows the single units say when their units came.
  def test_any_remaining_windows_give_the_same_result
    3.times do |seed|
      recorded = BurstStore.new(burst(Random.new(seed)))
      stores = BurstStore::AGES_S.keys.map { |finest_s| recorded.open(finest_s:) }
      minutes, *longer = stores.map { |store| made(store, -HOUR_S, 2 * HOUR_S) }
      longer.each do |found|
        assert_equal minutes.throughput, found.throughput
        assert_in_delta minutes.units, found.units, 2
        assert_in_delta minutes.peak, found.peak, 0.02 * minutes.peak
        assert_in_delta minutes.mean, found.mean, 0.02 * minutes.mean
        assert_in_delta minutes.demand[:held_ns], found.demand[:held_ns], 0.01 * minutes.demand[:held_ns]
        minutes.ceiling.zip(found.ceiling).each { |one, other| assert_in_delta one, other, 0.01 }
        assert_equal minutes.problems, found.problems
      end
    end
  end

  one_ruby def test_the_verdict_is_the_same_by_any_windows
    played = PlayedStore.new(PlayedRecording.new(minutes: 5, swing: 0.0), from_s: START_S,
      booted_s: START_S - 600)
    said = BurstStore::AGES_S.values.map do |age_s|
      whole = sized(aged(played, age_s), -2 * HOUR_S, 3 * HOUR_S).recommendation
      found = Sizing::Recommendation.new(whole.recording, limits: whole.limits, rounds: 8, units: 5000)
      [found.verdict, found.why, found.best.candidate.processes, found.best.candidate.threads].join(" ")
    end
    assert_equal ["change better 2 5"] * 3, said
  end

  private

  def burst(random)
    from_s = random.rand(30..120)
    to_s = from_s + random.rand(300..800)
    count = random.rand(450..800)
    BurstStore::Burst.new(from_s:, to_s:, count:, born_s: from_s - [3000, 300, 70].sample(random:))
  end

  def made(store, from_s, to_s)
    Made.of(sized(store, from_s, to_s))
  end

  def sized(store, from_s, to_s)
    Holdup::Advise::Reader.new(store, from_s: START_S + from_s, to_s: START_S + to_s, kind: :request,
      objective: Sizing::Objective.new)
  end

  # A store that is full loses windows sooner than what tells of single units and of processes.
  def aged(played, age_s)
    Holdup::Store.open("memory:").tap do |store|
      played.fill(store)
      store.rollup(played.to_s + age_s)
      store.prune(played.to_s + age_s, max_bytes: 1 << 40)
      store.commit([], {}, processes: played.send(:samples),
        unit_samples: age_s.zero? ? [] : played.send(:blocks))
    end
  end
end
