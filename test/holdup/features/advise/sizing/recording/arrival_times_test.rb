# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/counted_arrivals"

class Holdup::Advise::Sizing::Recording
  class ArrivalTimesTest < Minitest::Test
    include ExampleUnits

    def test_has_the_seconds_of_each_host_and_minute
      found = times([0, 100, 5_000, 61_000].map { |at_ms| unit(at_ms) } + [unit(7_000, host: "b")])
      assert_equal [START_S, START_S + 60], found.minutes.keys
      assert_equal({"a" => 3, "b" => 1}, found.minutes[START_S].to_h { |one| [one.host, one.count] })
      assert_equal [2, 1], found.minutes[START_S].first.seconds.values_at(0, 5)
      assert_equal %w[a b], found.hosts
    end

    def test_leaves_out_other_kinds_and_settings
      other = Holdup::Setting.new(attributes: {"threads" => 9})
      units = [unit, unit(1_000, kind: :job), unit(2_000, setting: other)]
      found = times(units, fingerprints: [SETTING.fingerprint])
      assert_equal 1, found.minutes[START_S].sum(&:count)
      assert_equal [1], times(units, kind: :job).minutes[START_S].map(&:count)
    end

    def test_a_recording_without_counts_has_none
      found = Holdup::Advise::Sizing::Recording::ArrivalTimes.new([], kind: :request)
      refute_predicate found, :any?
      assert_empty found.minutes
      assert_empty found.hosts
      assert_equal [0.0, 0.0], [found.stamped, found.together]
    end

    def test_says_how_often_units_come_together
      random = Random.new(3)
      alone = Array.new(600) { unit(random.rand(60_000)) }
      assert_in_delta 0.0, times(alone).together, 0.05
      six = Array.new(100) { random.rand(600) * 100 }.flat_map { |at_ms| Array.new(6) { unit(at_ms) } }
      assert_operator times(six).together, :>, 0.2
    end

    def test_knows_which_share_said_how_long_it_was_queued
      assert_in_delta 0.5, times([unit, unit(1_000, queued_ns: nil)]).stamped
    end

    def test_a_minute_of_which_the_ring_lost_units_is_not_known
      block = CountedArrivals.of(Array.new(100) { |index| unit(index) }).first
      lost = block.with(counts: block.counts.transform_values { |counts| counts.with(missed: 2) })
      assert_empty Holdup::Advise::Sizing::Recording::ArrivalTimes.new([lost], kind: :request).minutes
    end

    private

    def unit(at_ms = 0, queued_ns: 0, **)
      unit_sample(at_ms, queued_ns:, **)
    end

    def times(units, kind: :request, fingerprints: nil)
      Holdup::Advise::Sizing::Recording::ArrivalTimes.new(CountedArrivals.of(units), kind:, fingerprints:)
    end
  end
end
