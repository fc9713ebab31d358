# frozen_string_literal: true

require "forwardable"

module Holdup
  module Exporters
    # A collector's store that hands each commit to an exporter, exactly once.
    #
    # A commit that failed may still have reached the store, because the answer of a server can get lost. The
    # collector then reads the stored progress, which decides what it carries next. Each commit's progress is
    # unique (it has the time of its round), so it also says whether that commit counts.
    #
    # A failure of the exporter never reaches the collector.
    class ExportingStore
      extend Forwardable

      # A commit of unknown outcome. `left_out`: rows that the store rejected while it took the others
      PendingCommit = Data.define(:windows, :processes, :progress, :left_out) do
        # @param stored [Hash{String => String}] segment => checkpoint
        def in?(stored)
          progress.any? { |_, bytes| bytes } && progress.all? { |key, bytes| stored[key]&.b == bytes&.b }
        end

        # @return [Array<Window>]
        def written_windows = windows - left_out

        # @return [Array<Hash>]
        def written_processes = processes - left_out
      end
      private_constant :PendingCommit

      def_delegators :@store, :rollup, :prune

      # @param exporter [#start, #add, #close]
      def initialize(store, exporter, log:)
        @store = store
        @exporter = exporter
        @log = log
      end

      # A collector asks when it begins to lead, and after each failure.
      def progress(**options)
        stored = @store.progress(**options)
        guard { @exporter.start }
        pending = @pending
        @pending = nil
        export(pending) if pending&.in?(stored)
        stored
      end

      def commit(windows, progress, processes: [], **rows, &bad_row)
        left_out = []
        @pending = PendingCommit.new(windows:, processes:, progress:, left_out:)
        if bad_row
          @store.commit(windows, progress, processes:, **rows) do |row, fault|
            left_out << row
            bad_row.call(row, fault)
          end
        else
          @store.commit(windows, progress, processes:, **rows)
        end
        pending = @pending
        @pending = nil
        export(pending)
        nil
      end

      def close
        guard { @exporter.close }
      ensure
        @store.close
      end

      private

      def export(pending)
        guard { @exporter.add(pending.written_windows, pending.written_processes) }
      end

      # Logs a failure until it changes.
      def guard
        yield
      rescue => error
        message = "exporting failed (#{error.class}: #{error.message}); the store has everything"
        @log.warn(message) unless message == @logged
        @logged = message
        nil
      end
    end
  end
end
