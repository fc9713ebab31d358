# frozen_string_literal: true

module Holdup
  module Analysis
    # When the processes of a recording began. In the first two minutes after that, units load code, fill
    # caches and are compiled, which models must not count.
    class ProcessBoots
      # Windows are of all processes together: a minute counts while at most this share of them is that young.
      FEW = 0.25

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param warm_up_s [Integer] 0: everything counts
      def initialize(unit_samples, samples, warm_up_s: WARM_UP_S)
        @warm_up_s = warm_up_s
        @lives = {}
        # Windows of many series have the same time.
        @warm = {}
        samples.each do |sample|
          live(sample.values_at(:host, :pid, :since_s), sample[:at_s]) if sample[:since_s]
        end
        unit_samples.each do |unit_sample|
          process = unit_sample.process
          live([unit_sample.host, process.pid, process.since_ns / NS], unit_sample.start_ns / NS)
        end
      end

      def warm?(start_s, end_s)
        return true if @warm_up_s.zero?
        @warm.fetch([start_s, end_s]) { |span| @warm[span] = few_young?(*span) }
      end

      def warm_unit?(unit_sample)
        unit_sample.age_ns >= @warm_up_s * NS
      end

      # @return [Hash{String => MeasuredTime}] when each host had a process, as far as it was seen
      def hosts
        @lives.group_by { |(host, *), _| host }.transform_values do |own|
          lives = own.map { |(*, since_s), last_s| [since_s, last_s] }
          MeasuredTime.of_any(lives)
        end
      end

      private

      def few_young?(start_s, end_s)
        there = @lives.select { |(*, since_s), last_s| since_s < end_s && last_s >= start_s }.keys
        young = there.count { |*, since_s| since_s > start_s - @warm_up_s }
        young <= there.size * FEW
      end

      def live(key, at_s)
        @lives[key] = [@lives[key] || at_s, at_s].max
      end
    end
  end
end
