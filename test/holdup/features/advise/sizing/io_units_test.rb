# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class IoUnitsTest < Minitest::Test
    include ExampleUnits

    SHAPES = {"Slow#quote" => [0.2, 2, 400, 2], "Light#show" => [0.8, 4, 8, 4]}.freeze

    def test_who_waits_most
      units = IoUnits.new([slow, light, light,
        slow.with(series: light.series.with(name: "Other#slow"), idle_ns: 300 * ExampleUnits::MS)])
      assert_equal "Slow#quote", units.name
      assert_equal [true, false], units.marked(Trace.of([slow, light]), [slow, light]).units.map(&:io)
      assert_nil IoUnits.new([light]).name
      assert_nil IoUnits.new([]).name
    end

    # A quarter of 40 units a second on two processes, 400 ms each: two at a time in each, and room for as
    # many again.
    def test_as_many_as_their_peak_needs
      some = [Candidate.new(processes: 2, threads: 3), Candidate.new(processes: 1, threads: 5)]
      found = IoUnits.new([slow, light, light, light]).candidates(some, 40.0)
      assert_equal [4, 8], found.map(&:io_threads)
      assert_equal some, found.map { |one| one.with(io_threads: 0) }
      assert_empty IoUnits.new([light]).candidates(some, 40.0)
    end

    one_ruby def test_they_are_among_the_settings_that_are_looked_at
      with, without = [true, false].map { |io_threads|
        PlayedRecording.new(shapes: SHAPES, rate: 12.0, threads: 3, minutes: 10, io_threads:).recommendation
      }
      assert_equal [0], without.predictions.map { |one| one.candidate.io_threads }.uniq
      plain,
        more = with.predictions.select { |one| one.candidate.with(io_threads: 0) == with.now }.sort_by { |one|
        one.candidate.io_threads
      }
      assert_operator more.waits[0.95], :<, 0.5 * plain.waits[0.95]
      assert_equal 2, more.candidate.effort(with.now).first
    end

    private

    def slow
      unit_sample(name: "Slow#quote", running_ns: 10 * ExampleUnits::MS, idle_ns: 380 * ExampleUnits::MS,
        stalled_ns: 10 * ExampleUnits::MS)
    end

    def light
      unit_sample(name: "Light#show", running_ns: 5 * ExampleUnits::MS, idle_ns: 5 * ExampleUnits::MS,
        stalled_ns: 0)
    end
  end
end
