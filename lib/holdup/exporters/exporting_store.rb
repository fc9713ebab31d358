# frozen_string_literal: true

require "forwardable"

module Holdup
  module Exporters
    # A collector's store that hands each commit to its exporters, exactly once.
    #
    # A commit that failed may still have reached the store, because the answer of a server can get lost. The
    # collector then reads the stored progress, which decides what it carries next. Each commit's progress is
    # unique (it has the time of its round), so it also says whether that commit counts.
    #
    # A failure of an exporter reaches neither the collector nor another exporter.
    class ExportingStore
      extend Forwardable

      # A commit of unknown outcome. `left_out`: rows that the store rejected while it took the others
      PendingCommit = Data.define(:windows, :processes, :progress, :left_out) do
        # @param stored [Hash{String => String}] segment => checkpoint
        def in?(stored)
          progress.any? { |_, bytes| bytes } && progress.all? { |key, bytes| stored[key]&.b == bytes&.b }
        end

        # Whose checkpoints it moves, see Sql#progress.
        def owner = progress.keys.first.to_s[/\A\S+/]

        # @return [Array<Window>]
        def written_windows = windows - left_out

        # @return [Array<Hash>]
        def written_processes = processes - left_out
      end
      private_constant :PendingCommit

      def_delegators :@store, :rollup, :prune

      # @param exporters [Array<#start, #add, #close>]
      def initialize(store, exporters, log:)
        @store = store
        @exporters = exporters
        @log = log
        @logged = {}
        @pending = {}
      end

      # A collector asks when it begins to lead, and after each failure.
      def progress(host: nil)
        stored = @store.progress(host:)
        each_exporter(&:start)
        owners = host ? [host] : @pending.keys
        owners.each do |owner|
          pending = @pending.delete(owner)
          export(pending) if pending&.in?(stored)
        end
        stored
      end

      def commit(windows, progress, processes: [], **rows, &bad_row)
        left_out = []
        pending = PendingCommit.new(windows:, processes:, progress:, left_out:)
        @pending[pending.owner] = pending
        if bad_row
          @store.commit(windows, progress, processes:, **rows) do |row, fault|
            left_out << row
            bad_row.call(row, fault)
          end
        else
          @store.commit(windows, progress, processes:, **rows)
        end
        @pending.delete(pending.owner)
        export(pending)
        nil
      end

      def close
        each_exporter(&:close)
      ensure
        @store.close
      end

      private

      def export(pending)
        each_exporter { |exporter| exporter.add(pending.written_windows, pending.written_processes) }
      end

      def each_exporter
        @exporters.each do |exporter|
          yield exporter
        rescue => error
          failed(exporter, error)
        end
      end

      # Logs a failure until it changes.
      def failed(exporter, error)
        message = "exporting failed (#{error.class}: #{error.message}); the store has everything"
        @log.warn(message) unless message == @logged[exporter]
        @logged[exporter] = message
      end
    end
  end
end
