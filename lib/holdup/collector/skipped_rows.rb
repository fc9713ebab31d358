# frozen_string_literal: true

module Holdup
  class Collector
    # What can't be carried: counted, logged at most once a minute, and written to the store with the rest, so
    # that it stops nothing else. What stays broken (a file, a row of it) is counted once.
    class SkippedRows
      def initialize(host:, warnings:)
        @host = host
        @warnings = warnings
        @lasting = Set.new
        start(0)
      end

      # Rows of this round that are not yet written.
      attr_reader :rows

      # Begins a round. What an earlier one could not write is found again.
      def start(now_ns)
        @at_s = now_ns / NS
        @rows = []
        @found = []
      end

      def row(kind, name, error)
        reason = error.is_a?(Error) ? error.message : "#{error.message} (#{error.class})"
        SkippedRow.new(at_s: @at_s, host: @host, kind:, name:, reason:)
      end

      def add(kind, name, error)
        @rows << row(kind, name, error)
        nil
      end

      # Counts a fault in a file once, as long as the file exists. `place`: offset in the file
      def add_lasting(kind, name, error, file:, place: 0)
        subject = [kind, file, place]
        return if @lasting.include?(subject) || @found.include?(subject)
        @found << subject
        add(kind, name, error)
      end

      # @return [Object, nil] the block's value; nil when it failed, which is counted
      def guard(kind, name)
        yield
      rescue => error
        add(kind, name, error)
      end

      # The caller does this after the commit. `more`: rows that the store rejected; `present`: files that
      # exist
      def committed(more, present)
        @lasting.merge(@found).select! { |_, file, _| present.include?(file) }
        unlogged = @rows.reject { |row| row.kind == :segment } # the log has these, each with its path
        warn_of([*unlogged, *more])
        start(@at_s * NS)
      end

      private

      def warn_of(rows)
        return if rows.empty?
        first = rows.first
        @warnings.seldom(:skipped,
          "#{rows.sum(&:count)} of what was measured can't be carried and is left out, the first: " \
          "#{first.kind} #{first.name.inspect}: #{first.reason}; `holdup doctor` lists them")
      end
    end
  end
end
