# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/played_recording"

module Holdup::Advise::Sizing
  # Whatever is asked for, no model says what can't be: a wait below zero, more than all of the time, a thread
  # that is alone in its process and waits for the GVL.
  class PossibleFiguresTest < Minitest::Test
    SHARES = [0.0, 0.1, 0.3, 0.45, 0.5, 0.77, 0.9, 0.99, 0.9999].freeze

    def test_the_calculator_of_threads_that_always_have_work
      SHARES.each do |share|
        calculator = Calculator.new(ServiceDemand.of_share(share), threads: [1, 2, 3, 7, 20, 100])
        calculator.lines.each { |line| assert_possible(line, line.threads, "#{share} idle") }
        alone = calculator.lines.first
        assert_in_delta 1.0, alone.speed_up, 1e-9
        assert_in_delta alone.response_ns, calculator.demand.own_ns, 1e-3
      end
    end

    def test_the_calculator_of_units_that_arrive
      SHARES.product([0.1, 5.0, 9.9, 40.0, 1e4], [1, 3], [0.5, 1, 4]) do |share, rate, processes, vcpus|
        calculator = OpenCalculator.new(ServiceDemand.of_share(share), rate:, threads: [1, 2, 5, 16],
          processes:, vcpus:)
        calculator.lines.each do |line|
          assert_possible(line, line.threads, "#{share} idle, #{rate}/s, #{processes} x, #{vcpus} vCPUs")
        end
      end
    end

    one_ruby def test_forecasts_of_other_threads_and_processes
      recorded = PlayedRecording.new(minutes: 10, rate: 20.0)
      [1.0, 3.0].each do |factor|
        found = recorded.recommendation(limits: recorded.limits, factor:)
        assert_includes found.predictions.map { |one| one.candidate.threads }, 1
        found.predictions.each do |one|
          where = "#{one.candidate.processes} x #{one.candidate.threads} at x#{factor}"
          assert_possible(one, one.candidate.threads, where)
          [*one.responses.values, *one.waits.values, *one.handoff_ns].each do |ns|
            assert_operator ns, :>=, 0, where
          end
        end
      end
    end

    private

    STALLS = %i[stall_ns stalled_ns].freeze
    TIMES = %i[queued_ns response_ns whole_ns wait_ns].freeze

    def assert_possible(line, threads, where)
      assert_operator 0.0..1.0, :cover?, line.utilisation, where
      [*STALLS, *TIMES].each do |name|
        value = line.public_send(name) if line.respond_to?(name)
        next unless value
        assert_operator value, :>=, 0, "#{name} with #{threads} threads, #{where}"
        next unless threads == 1 && STALLS.include?(name)
        assert_equal 0, value, "#{name} of a thread that is alone, #{where}"
      end
    end
  end
end
