# frozen_string_literal: true

require "etc"

module Holdup
  module Lab
    # What the processes with segments in a folder measured, collected by this process: a collector's round
    # with a store that can be emptied. So an experiment leaves out exactly the requests and jobs before a
    # moment; the minutes of a real store would mix warm-up and measurement.
    class InMemoryStore
      # Every unit of an experiment is kept, and not only the sample that a store has room for.
      MOST = 50_000

      # @return [Array<Window>] several of a series and minute
      attr_reader :windows

      # @return [Array<Hash{Symbol => Object}>] of the processes, see Collector::ProcessSampler; one of each
      #   when it was cleared, and when it was closed
      attr_reader :samples

      # @param folder [String] of the segments; made when it is not there
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
          profiles: Collector::UnitSampler.new(most: MOST)
        )
        @samples = []
        empty
      end

      # Takes in what was added since the last time. Each ring holds 4,095 units: often enough, and none is
      # missed.
      def take
        @round.run(@clock.realtime_ns)
        self
      end

      # Leaves out everything up to now, but how each process is.
      def clear
        @samples = []
        close
        empty
      end

      # The last of a measurement: what was added, and how each process is now.
      def close
        @sampler.forget
        take
      end

      # @return [Array<UnitSample>] in the order of their starts
      def profiles
        @blocks.values.flat_map(&:weighted).sort_by(&:start_ns)
      end

      # @return [Integer] units that have ended
      def count
        @windows.sum { |window| window.series.unit? ? window.count : 0 }
      end

      # @return [Hash{Integer => Hash{Symbol => Integer, nil}}] pid => gauges of its last tick
      def gauges
        headers = @directory.entries.select(&:alive).map { |entry| entry.read(&:header) }
        headers.to_h { |header| [header.pid, header.gauges] }
      end

      # As a store is asked; the round keeps its positions itself.
      # @see Store::Sql#commit
      def commit(windows, _progress, processes: [], profiles: [], paths: {}, **)
        @windows.concat(windows)
        @samples.concat(processes)
        profiles.each do |block|
          kept = @blocks[block.key] || block.with(seen: 0, profiles: [])
          @blocks[block.key] = kept.merge(block, most: MOST)
        end
      end

      # @see Store::Sql#progress
      def progress = {}

      private

      def empty
        @windows = []
        @blocks = {}
        self
      end
    end
  end
end
