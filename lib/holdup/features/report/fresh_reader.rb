# frozen_string_literal: true

module Holdup
  module Report
    # Brings all measurements up to now into the store: asks the collector for a round and waits for it, or
    # collects here if no collector runs.
    class FreshReader
      PATIENCE_S = 5
      STEP_S = 0.1

      # @param dir [String] folder of the segments
      def initialize(console, store:, dir:, patience_s: PATIENCE_S)
        @console = console
        @url = CLI::Places.store(console.env, store)
        @captures = CLI::Places.captures(console.env, store)
        @dir = dir
        @directory = Segment::Directory.new(dir)
        @uncollected = Queries::UncollectedUnits.new(dir:)
        @patience_s = patience_s
      end

      # @return [String, nil] a sentence on why something may be missing; nil when all is stored
      def call
        found = @uncollected.measured
        return if found.empty? || stored?(found)
        @directory.collected? ? wait(found) : collect(found)
      rescue StoreError => error
        error.message
      rescue SystemCallError => error
        "the segments in #{@dir} can't be used (#{error.message}); run it as the application's user"
      end

      private

      # The segments may belong to another store, and collecting them here would take them from it.
      def collect(found)
        unless ours?
          return "no collector is running, and that of #{@dir} has not written to #{Store.redact(@url)}; " \
            "run holdup collect --once with its store"
        end
        settings = Configuration.build(env: Configuration.readable(@console.env))
        collector = Collector.new(store: Store.open(@url), directory: @dir, clock: @console.clock,
          captures: @captures, log: Log.new { @console.err },
          host: Collector.host_name(settings.host, @console.env))
        (collector.once == :standby) ? wait(found) : nil
      end

      def ours?
        !@directory.ever_collected? || !!reading { |store| @uncollected.collector_checkpoint(store) }
      end

      def wait(found)
        @directory.hurry
        deadline_s = now_s + @patience_s
        until stored?(found)
          return "the collector has not stored everything within #{@patience_s} s" if now_s > deadline_s
          sleep(STEP_S)
        end
      end

      def stored?(found)
        reading do |store|
          checkpoint = @uncollected.collector_checkpoint(store)
          checkpoint && @uncollected.missing(checkpoint, found).zero?
        end
      end

      # A store that nobody has made yet is empty. One that can't be reached is not.
      def reading
        store = Store.open(@url, read_only: true)
        yield store
      rescue StoreError::Missing, StoreError::BeingMade, StoreError::OlderSchema
        nil
      ensure
        store&.close
      end

      def now_s
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
