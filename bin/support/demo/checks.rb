# frozen_string_literal: true

require "json"
require_relative "shop_ledger"

module Demo
  # Holds the report against what the shop itself counted, and against the two sums that must come out.
  # What the load generator saw says nothing about Holdup: an answer that it did not wait for was served all
  # the same.
  class Checks
    BLAME_TOLERANCE = 0.001
    WALL_TOLERANCE = 0.01
    PARTS = %w[cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns].freeze
    NOTHING = {"count" => 0, "errors" => 0}.freeze

    # @param json [String] the report
    # @param counts [Hash<String, ShopLedger::EndpointCount>] of the same requests
    def initialize(json, counts)
      @report = JSON.parse(json)
      @series = @report.fetch("series").to_h { |series| [series.fetch("name"), series] }
      @counts = counts
    end

    # @return [Array<String>] the figures that are false; empty when all are true
    def failures = [*miscounts, *blame, *walls]

    private

    def miscounts
      @counts.flat_map do |name, count|
        series = @series.fetch(name, NOTHING)
        [mismatch(name, "requests", count.count, series["count"]),
          mismatch(name, "errors", count.errors, series["errors"])].compact
      end
    end

    def mismatch(name, what, counted, reported)
      "#{name}: the shop counted #{counted} #{what}, the report has #{reported}" if counted != reported
    end

    # Whatever somebody suffered, somebody else or the hand-off caused.
    def blame
      totals = @report.fetch("totals")
      suffered = totals.dig("stalled_ns", "sum") + totals["accounts"].sum { |account| account["suffered_ns"] }
      caused = totals["caused_ns"] + totals["handoff_ns"] + totals["accounts"].sum do |account|
        account["caused_ns"]
      end
      gap = (caused - suffered).abs
      return [] if gap <= suffered * BLAME_TOLERANCE
      ["caused + hand-off is #{caused} ns, but the GVL wait is #{suffered} ns"]
    end

    def walls
      @series.values.filter_map do |series|
        wall = series.dig("wall_ns", "sum")
        parts = PARTS.sum { |part| series[part] } + series.dig("stalled_ns", "sum")
        next if (wall - parts).abs <= wall * WALL_TOLERANCE
        "#{series["name"]}: its parts are #{parts} ns, its elapsed time is #{wall} ns"
      end
    end
  end
end
