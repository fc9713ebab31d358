# frozen_string_literal: true

require "json"
require_relative "../../model/jit_memory"
require_relative "../jit"

module Holdup
  class StatsLog
    # One line as flat facts: the process, and what it did since the line before; unknown values are left out.
    # Booleans are 0 and 1, because CloudWatch makes metrics of numbers only.
    class LogLine
      # @param event [String] "stats", or a stage of the process's life
      # @param before [ProcessReading, nil] of the line before; nil: no differences
      # @param dropped [Integer] lines that could not be written so far
      def initialize(event, now, before, dropped:)
        @event = event
        @now = now
        @before = before
        @dropped = dropped
      end

      # @return [Integer] milliseconds since 1970
      def at_ms = @now.at_ns / 1_000_000

      def to_h
        {
          "event" => @event,
          "at" => NumberFormat.time(@now.at_ns),
          **identity,
          **work,
          **process,
          **JitFigures.new(@now, @before).to_h,
          "dropped" => @dropped
        }.compact
      end

      private

      def identity
        {
          "interval_s" => interval_s&.round(3),
          **@now.setting.attributes.slice("app", "environment", "revision", "ruby"),
          "setting" => @now.setting.fingerprint,
          "server" => server,
          "worker" => @now.worker,
          "generation" => @now.header.generation,
          "pid" => @now.header.pid
        }
      end

      def server
        name = @now.profile["server"]
        name unless name.to_s.empty?
      end

      def interval_s
        @before && (@now.monotonic_ns - @before.monotonic_ns) / 1e9
      end

      def work
        return {} unless @before && interval_s.positive?
        done = @now.totals - @before.totals
        units_per_s = (done.units / interval_s).round(3)
        {
          "units" => done.units,
          "units_per_s" => units_per_s,
          "errors" => done.errors,
          **shares(done),
          **times(done)
        }
      end

      def shares(done)
        %i[running stalled idle].to_h { |part| ["#{part}_share", NumberFormat.share(done.share(part))] }
      end

      def times(done)
        times_ns = {
          "wall_p50_ms" => done.quantile(:wall, 0.5),
          "wall_p95_ms" => done.quantile(:wall, 0.95),
          "stalled_p95_ms" => done.quantile(:stalled, 0.95),
          "queued_p95_ms" => done.quantile(:queued, 0.95)
        }
        times_ns.transform_values { |ns| NumberFormat.ms(ns) }
      end

      def process
        {"cpu_share" => NumberFormat.share(cpu_share), "rss_bytes" => @now.rss_bytes}
      end

      # Share of one core.
      def cpu_share
        now_ns = @now.gauges[:cpu_ns]
        before_ns = @before&.gauges&.fetch(:cpu_ns, nil)
        (now_ns - before_ns) / 1e9 / interval_s if now_ns && before_ns && interval_s.positive?
      end
    end

    # The JIT's part of a line: levels, and how much the counters have grown since the line before.
    class JitFigures
      # Gauge => name in the line.
      LEVELS = {
        jit_enabled: "jit_on",
        jit_saturated: "jit_saturated",
        jit_code_bytes: "jit_code_bytes",
        jit_alloc_bytes: "jit_metadata_bytes",
        jit_limit_bytes: "jit_limit_bytes",
        jit_compiled_iseqs: "jit_compiled_iseqs",
        jit_live_iseqs: "jit_live_iseqs",
        jit_invalidations: "jit_invalidations",
        jit_code_gcs: "jit_code_gcs"
      }.freeze
      GROWING = %i[jit_code_bytes jit_alloc_bytes jit_compiled_iseqs jit_invalidations].freeze

      def initialize(now, before)
        @now = now
        @before = before
      end

      def to_h
        return {"jit" => kind, "jit_on" => 0} unless on?
        levels = LEVELS.to_h { |gauge, name| [name, @now.gauges[gauge]] }
        {**origin, **levels, **differences, **effects, **deep_statistics}
      end

      private

      def kind = @now.setting["jit"]

      def on? = @now.gauges[:jit_enabled] == 1

      def origin
        {
          "jit" => kind,
          "jit_by" => @now.setting["jit_by"],
          "jit_since" => NumberFormat.time(@now.gauges[:jit_enabled_ns]),
          "jit_warm_since" => NumberFormat.time(@now.gauges[:jit_warm_ns]),
          "jit_limit_of" => @now.profile["jit.limit_of"]
        }
      end

      def differences
        {
          **GROWING.to_h { |gauge| ["#{LEVELS.fetch(gauge)}_delta", growth(gauge)] },
          "jit_compile_ms_delta" => NumberFormat.ms(growth(:jit_compile_ns)),
          "jit_interpreted_per_unit" => interpreted_per_unit
        }
      end

      def effects
        {
          "jit_warm" => flag(!@now.gauges[:jit_warm_ns].nil?),
          "jit_effective" => flag(@now.setting["jit_effective"]),
          "jit_used_share" => NumberFormat.share(used_share),
          "jit_memory_bytes" => memory.memory_bytes
        }
      end

      def deep_statistics
        stats = @now.setting["jit_stats"]
        {"jit_stats" => stats, "jit_ratio_in_yjit" => (ratio if stats)}
      end

      def ratio
        compiled = growth(:jit_compiled_instructions)
        interpreted = growth(:jit_interpreted_instructions)
        return unless compiled && interpreted
        total = compiled + interpreted
        (100.0 * compiled / total).round(2) if total.positive?
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
        memory.total_bytes
      end

      def memory = JitMemory.of(@now.gauges)

      def growth(gauge)
        now = @now.gauges[gauge]
        before = @before&.gauges&.fetch(gauge, nil)
        now - before if now && before
      end

      def flag(value) = {true => 1, false => 0}[value]
    end

    # Numbers of a line, never in scientific notation, which CloudWatch's filters can't read.
    module NumberFormat
      module_function

      # ISO 8601 with milliseconds.
      def time(ns)
        Time.at(0, ns, :nsec).utc.strftime("%FT%T.%LZ") if ns
      end

      def ms(ns)
        (ns / 1e6).round(3) if ns
      end

      def share(value) = value&.round(4)
    end

    # Figures that become metrics, with CloudWatch's units: for its embedded metric format and `holdup
    # terraform`.
    module Metrics
      UNITS = {
        "units" => "Count",
        "units_per_s" => "Count/Second",
        "errors" => "Count",
        "running_share" => "None",
        "stalled_share" => "None",
        "idle_share" => "None",
        "wall_p50_ms" => "Milliseconds",
        "wall_p95_ms" => "Milliseconds",
        "stalled_p95_ms" => "Milliseconds",
        "queued_p95_ms" => "Milliseconds",
        "cpu_share" => "None",
        "rss_bytes" => "Bytes",
        "jit_on" => "None",
        "jit_warm" => "None",
        "jit_effective" => "None",
        "jit_saturated" => "None",
        "jit_used_share" => "None",
        "jit_code_bytes" => "Bytes",
        "jit_metadata_bytes" => "Bytes",
        "jit_memory_bytes" => "Bytes",
        "jit_compiled_iseqs" => "Count",
        "jit_invalidations_delta" => "Count",
        "jit_interpreted_per_unit" => "Count",
        "jit_ratio_in_yjit" => "Percent"
      }.freeze
    end

    module Encoding
      def self.for(options)
        (options.format == :emf) ? Emf.new(options.namespace) : PlainJson.new
      end

      class PlainJson
        def call(line)
          "#{JSON.generate(line.to_h)}\n"
        end
      end

      # CloudWatch's embedded metric format: the same object with a list of its metrics, so it needs no
      # filter. The process is not a dimension, because each dimension is billed as a metric.
      class Emf
        DIMENSIONS = %w[app server].freeze

        def initialize(namespace)
          @namespace = namespace
        end

        def call(line)
          facts = line.to_h
          metrics = Metrics::UNITS.filter_map { |name, unit| {Name: name, Unit: unit} if facts.key?(name) }
          dimensions = DIMENSIONS.select { |name| facts.key?(name) }
          directive = {Namespace: @namespace, Dimensions: [dimensions], Metrics: metrics}
          metadata = {Timestamp: line.at_ms, CloudWatchMetrics: [directive]}
          "#{JSON.generate({_aws: metadata, **facts})}\n"
        end
      end
    end
  end
end
