# frozen_string_literal: true

require "json"

module Demo
  # Holds the report against what the load generator saw, and against the two sums that must come out exactly.
  class Checks
    BLAME_TOLERANCE = 0.001
    WALL_TOLERANCE = 0.01
    # Share of lost answers from which on it is the machine and no single answer.
    OVERLOADED = 0.05
    PARTS = %w[cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns].freeze

    # @param json [String] the report
    # @param outcomes [Hash<String, Holdup::Lab::Exchange::Outcome>]
    def initialize(json, outcomes)
      @report = JSON.parse(json)
      @series = @report.fetch("series").to_h { |series| [series.fetch("name"), series] }
      @outcomes = outcomes
    end

    # @return [Array<String>] what is wrong; empty when all is well
    def failures = overloaded || [*surprises, *miscounts, *blame, *walls]

    private

    # What nobody waits for any more is answered all the same, so then nothing can be counted.
    def overloaded
      lost = @outcomes.each_value.sum(&:lost)
      return if lost < @outcomes.each_value.sum(&:count) * OVERLOADED
      ["#{lost} requests got no answer in time: this machine can't serve so many beside what else it " \
        "does; try again when it is quiet, or with fewer (--rate 20)"]
    end

    def surprises
      @outcomes.values.select { |outcome| outcome.unexpected.positive? }.map do |outcome|
        "#{outcome.label}: #{outcome.unexpected} of #{outcome.count} answers were not as intended " \
        "(#{outcome.lost} lost)"
      end
    end

    def miscounts
      @outcomes.values.flat_map do |outcome|
        series = @series.fetch(outcome.label) { {"count" => 0, "errors" => 0} }
        [mismatch(outcome, "answers", outcome.answered, series["count"]),
          mismatch(outcome, "errors", outcome.errors - outcome.lost, series["errors"])].compact
      end
    end

    def mismatch(outcome, what, sent, reported)
      "#{outcome.label}: #{sent} #{what}, but the report has #{reported}" if sent != reported
    end

    # Whatever somebody suffered, somebody else or the hand-off caused.
    def blame
      totals = @report.fetch("totals")
      suffered = totals.dig("stalled_ns", "sum") + totals["accounts"].sum { |account| account["suffered_ns"] }
      caused = totals["caused_ns"] + totals["handoff_ns"] + totals["accounts"].sum do |account|
        account["caused_ns"]
      end
      gap = (caused - suffered).abs
      (gap > suffered * BLAME_TOLERANCE) ? ["caused + handoff is #{caused} ns, but stalled is " \
        "#{suffered} ns"] : []
    end

    def walls
      @series.values.filter_map do |series|
        wall = series.dig("wall_ns", "sum")
        parts = PARTS.sum { |part| series[part] } + series.dig("stalled_ns", "sum")
        if (wall - parts).abs > wall * WALL_TOLERANCE
          "#{series["name"]}: its parts are #{parts} ns, its wall " \
          "#{wall} ns"
        end
      end
    end
  end
end
