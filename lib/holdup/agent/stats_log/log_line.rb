# frozen_string_literal: true

require_relative "jit_figures"
require_relative "number_format"

module Holdup
  class StatsLog
    # One line as flat facts: who it is, and what it did since the line before. What nobody knows is left out.
    # Switches are 0 and 1, because CloudWatch makes metrics of numbers only.
    class LogLine
      # @param event [String] "stats", or a stage of the process's life
      # @param now [ProcessReading]
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

      # @return [Hash{String => String, Integer, Float}]
      def to_h
        {"event" => @event, "at" => NumberFormat.time(@now.at_ns), **identity, **work, **process,
         **JitFigures.new(@now, @before).to_h, "dropped" => @dropped}
          .reject { |_, value|
          value.nil?
        }
      end

      private

      def identity
        {"interval_s" => interval_s&.round(3), **@now.setting.attributes.slice("app", "environment", "revision", "ruby"),
         "setting" => @now.setting.fingerprint, "server" => server, "worker" => @now.worker, "generation" => @now.header.generation,
         "pid" => @now.header.pid}
      end

      def server
        @now.profile["server"].then { |name| name unless name.to_s.empty? }
      end

      def interval_s
        @before && (@now.monotonic_ns - @before.monotonic_ns) / 1e9
      end

      # Since the line before.
      def work
        return {} unless @before && interval_s.positive?
        done = @now.totals - @before.totals
        {"units" => done.units, "units_per_s" => (done.units / interval_s).round(3), "errors" => done.errors,
         **split(done), **times(done)}
      end

      def split(done)
        %i[running stalled idle].to_h { |part| ["#{part}_share", NumberFormat.share(done.share(part))] }
      end

      def times(done)
        {"wall_p50_ms" => done.quantile(:wall, 0.5), "wall_p95_ms" => done.quantile(:wall, 0.95),
         "stalled_p95_ms" => done.quantile(:stalled, 0.95), "queued_p95_ms" => done.quantile(:queued, 0.95)}.transform_values { |ns| NumberFormat.ms(ns) }
      end

      def process
        {"cpu_share" => NumberFormat.share(cpu_share), "rss_bytes" => @now.rss_bytes}
      end

      # Of one core.
      def cpu_share
        now_ns = @now.gauges[:cpu_ns]
        before_ns = @before&.gauges&.fetch(:cpu_ns, nil)
        (now_ns - before_ns) / 1e9 / interval_s if now_ns && before_ns && interval_s.positive?
      end
    end
  end
end
