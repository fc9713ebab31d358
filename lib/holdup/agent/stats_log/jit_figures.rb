# frozen_string_literal: true

require_relative "../jit"
require_relative "number_format"

module Holdup
  class StatsLog
    # The part of a line about the JIT: levels, and by how much the counters have grown since the line before.
    class JitFigures
      # Gauge => name in the line.
      LEVELS = {
        jit_enabled: "jit_on", jit_saturated: "jit_saturated", jit_code_bytes: "jit_code_bytes", jit_alloc_bytes: "jit_metadata_bytes",
        jit_limit_bytes: "jit_limit_bytes", jit_compiled_iseqs: "jit_compiled_iseqs", jit_live_iseqs: "jit_live_iseqs",
        jit_invalidations: "jit_invalidations", jit_code_gcs: "jit_code_gcs"
      }.freeze
      GROWING = %i[jit_code_bytes jit_alloc_bytes jit_compiled_iseqs jit_invalidations].freeze

      # @param now [ProcessReading]
      # @param before [ProcessReading, nil]
      def initialize(now, before)
        @now = now
        @before = before
      end

      # @return [Hash{String => Object, nil}]
      def to_h
        return {"jit" => kind, "jit_on" => 0} unless on?
        {**origin, **LEVELS.to_h { |gauge, name| [name, @now.gauges[gauge]] }, **differences, **verdicts,
**deep}
      end

      private

      def kind = @now.setting["jit"]

      def on? = @now.gauges[:jit_enabled] == 1

      def origin
        {"jit" => kind, "jit_by" => @now.setting["jit_by"], "jit_since" => NumberFormat.time(@now.gauges[:jit_enabled_ns]),
         "jit_warm_since" => NumberFormat.time(@now.gauges[:jit_warm_ns]), "jit_limit_of" => @now.profile["jit.limit_of"]}
      end

      def differences
        GROWING.to_h { |gauge| ["#{LEVELS.fetch(gauge)}_delta", growth(gauge)] }
          .merge("jit_compile_ms_delta" => NumberFormat.ms(growth(:jit_compile_ns)), "jit_interpreted_per_unit" => interpreted_per_unit)
      end

      def verdicts
        {"jit_warm" => flag(!@now.gauges[:jit_warm_ns].nil?), "jit_effective" => flag(@now.setting["jit_effective"]),
         "jit_used_share" => NumberFormat.share(used_share), "jit_memory_bytes" => total && (total * Jit::REAL_MEMORY).round}
      end

      # In the arm with deep statistics, and nowhere else.
      def deep
        stats = @now.setting["jit_stats"]
        {"jit_stats" => stats, "jit_ratio_in_yjit" => (ratio if stats)}
      end

      def ratio
        compiled = growth(:jit_compiled_instructions)
        interpreted = growth(:jit_interpreted_instructions)
        if compiled && interpreted && compiled + interpreted > 0
          (100.0 * compiled / (compiled + interpreted)).round(2)
        end
      end

      def interpreted_per_unit
        instructions = growth(:jit_interpreted_instructions)
        units = @before && @now.totals.units - @before.totals.units
        instructions / units if instructions && units&.positive?
      end

      def used_share
        limit = @now.gauges[:jit_limit_bytes]
        used = (@now.profile["jit.limit_of"] == "code") ? @now.gauges[:jit_code_bytes] : total
        used.fdiv(limit) if used && limit&.positive?
      end

      def total
        parts = @now.gauges.values_at(:jit_code_bytes, :jit_alloc_bytes)
        parts.sum if parts.all?
      end

      def growth(gauge)
        now = @now.gauges[gauge]
        before = @before&.gauges&.fetch(gauge, nil)
        now - before if now && before
      end

      def flag(value) = {true => 1, false => 0}[value]
    end
  end
end
