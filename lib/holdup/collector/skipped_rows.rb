# frozen_string_literal: true

module Holdup
  class Collector
    # What can't be carried, so that it stops nothing else: it is counted, logged at most once a minute, and
    # written to the store with what was carried. What stays broken (a file, a row of it) is counted once.
    class SkippedRows
      NS = 1_000_000_000

      def initialize(host:, warnings:)
        @host = host
        @warnings = warnings
        @lasting = Set.new
        start(0)
      end

      # @return [Array<SkippedRow>] of this round, not yet written
      attr_reader :rows

      # A round begins. What an earlier one found and could not write is found again.
      def start(now_ns)
        @at_s = now_ns / NS
        @rows = []
        @found = []
      end

      # @param kind [Symbol] one of SkippedRow::KINDS
      def row(kind, name, error)
        reason = error.is_a?(Error) ? error.message : "#{error.message} (#{error.class})"
        SkippedRow.new(at_s: @at_s, host: @host, kind:, name:, reason:)
      end

      def add(kind, name, error)
        @rows << row(kind, name, error)
        nil
      end

      # Counts what is in a file once, as long as the file is there.
      # @param place [Integer] in the file
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

      # They are in the store now.
      # @param more [Array<SkippedRow>] what the store did not take
      # @param present [Array<String>] files that are there
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
