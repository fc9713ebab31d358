# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class SufficiencyTest < Minitest::Test
    def sufficiency(**options)
      PlayedRecording.new(**options).then { |one|
        Sufficiency.new(Traffic.of(one.unit_samples, one.arrivals), units: one.units, rounds: 60).call
      }
    end

    def test_two_steady_hours_are_enough
      found = sufficiency(minutes: 130)
      assert found.enough?
      assert_equal [:high, 600], [found.confidence, found.block_s]
    end

    def test_what_is_missing_has_a_name
      assert_equal [[:hours], :medium],
        sufficiency(minutes: 60).then { |found| [found.missing, found.confidence] }
      few = sufficiency(minutes: 3, rate: 0.5, swing: 0.0)
      assert few.too_little?
      assert_operator few.widths[:p95], :>, 0.02
      assert_empty sufficiency(minutes: 1).widths
    end

    def test_unlike_units_make_it_wide
      unlike = sufficiency(minutes: 15,
        shapes: {"Light#show" => [0.98, 2, 8, 2], "Heavy#show" => [0.02, 900, 8, 2]})
      assert_includes unlike.missing, :held
      assert_equal :low, unlike.confidence
      assert_operator unlike.widths[:held], :>, 3 * unlike.widths[:idle]
    end

    # Of few rounds too: without a place between two values, 40 rounds hold 85 %.
    def test_the_middle_has_nine_of_ten_further_values
      random = Random.new(1)
      inside = Array.new(4000) do
        Sufficiency::RecordingBootstrap.middle(Array.new(40) { random.rand }).cover?(random.rand)
      end
      assert_in_delta 0.9, inside.count(true) / 4000.0, 0.015
      assert_equal 7.0..7.0, Sufficiency::RecordingBootstrap.middle([7.0])
    end

    # Only one of them is true: 90 % of all figures would miss twice as many of the lower ones.
    def test_an_interval_contains_that_of_each_assumption
      recording = PlayedRecording.new(minutes: 2)
      bootstrap = Sufficiency::RecordingBootstrap.new(Traffic.of(recording.unit_samples, recording.arrivals))
      figure = ->(seed) { (seed.even? ? 0 : 100) + seed }
      found = bootstrap.interval(:even?.to_proc) { |_, seed| figure.call(seed) }
      low, high = [(1..40).select(&:even?), (1..40).select(&:odd?)].map do |seeds|
        Sufficiency::RecordingBootstrap.middle(seeds.map(&figure))
      end
      assert_equal low.begin..high.end, found
    end
  end
end
