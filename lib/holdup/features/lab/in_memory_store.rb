# frozen_string_literal: true

require "etc"

module Holdup
  module Lab
    # Collects the segments of a folder in this process, with a store that can be cleared. An experiment
    # thereby leaves out exactly the requests and jobs before a moment; the minutes of a real store would mix
    # warm-up and measurement.
    class InMemoryStore
      # Keeps every request or job of an experiment; a real store keeps a sample.
      MOST = 50_000

      # @return [Array<Window>] may hold several of a series and minute
      attr_reader :windows

      # @return [Array<Hash{Symbol => Object}>] of the processes, see Collector::ProcessSampler; one of each
      #   at #clear and one at #close
      attr_reader :samples

      # @param folder [String] of the segments; created if missing
      # @param log [#warn] for segments that can't be read
      def initialize(folder, clock: Clock.new, log: Log.new { $stderr })
        @clock = clock
        @directory = Segment::Directory.new(folder).tap(&:create)
        @sampler = Collector::ProcessSampler.new
        @round = Collector::Round.new(
          store: self,
          directory: @directory,
          host: Etc.uname[:nodename],
          warnings: Collector::RateLimitedLog.new(log:, clock:),
          sampler: @sampler,
          unit_sampler: Collector::UnitSampler.new(most: MOST)
        )
        @samples = []
        empty
      end

      # Collects the additions since the last call. A ring holds 4,095 requests or jobs, so frequent calls
      # miss none.
      def take
        @round.run(@clock.realtime_ns)
        self
      end

      # Drops everything up to now, except each process's state.
      def clear
        @samples = []
        close
        empty
      end

      # Ends a measurement: collects the latest additions and each process's state.
      def close
        @sampler.forget
        take
      end

      # @return [Array<UnitSample>] in the order of their starts
      def unit_samples
        @blocks.values.flat_map(&:weighted).sort_by(&:start_ns)
      end

      # @return [Integer] finished requests and jobs
      def count
        @windows.sum { |window| window.series.unit? ? window.count : 0 }
      end

      # @return [Hash{Integer => Hash{Symbol => Integer, nil}}] pid => gauges of its last tick
      def gauges
        headers = @directory.running.map { |entry| entry.read(&:header) }
        headers.to_h { |header| [header.pid, header.gauges] }
      end

      # A store's interface; the round keeps its positions itself.
      # @see Store::Writer#commit
      def commit(windows, _checkpoints, processes: [], unit_samples: [], paths: {}, **)
        @windows.concat(windows)
        @samples.concat(processes)
        unit_samples.each do |block|
          kept = @blocks[block.key] || block.with(seen: 0, unit_samples: [])
          @blocks[block.key] = kept.merge(block, most: MOST)
        end
      end

      # @see Store::Reader#checkpoints
      def checkpoints(host: nil) = {}

      # @see Store::Reader#audit_entries
      def audit_entries(_from_s, _to_s) = []

      # What a process did before it died is of no interest here.
      # @see Store::Reader#processes
      def processes(_from_s, _to_s, **) = []

      # @see Store::Reader#sums
      def sums(*, **) = []

      # @see Store::Reader#deaths
      def deaths(_from_s, _to_s) = []

      # @see Store::Reader#notices
      def notices(_from_s, _to_s) = []

      private

      def empty
        @windows = []
        @blocks = {}
        self
      end
    end
  end
end
