# frozen_string_literal: true

module Holdup
  module Analysis
    # The database transactions of the requests or jobs of one name, in one database: from BEGIN to the answer
    # of COMMIT or ROLLBACK. Rows that they change stay locked all the while. Exactly:
    # open = database + other calls + other waits + stalled + starved + Ruby.
    #
    # - `units`, `wall_ns`: of the requests and jobs of that name, also those without a transaction
    # - `target`: name of the database; nil without one
    # - `calls`: UnitCalls::CallLine of what they called while a transaction was open
    UnitTransactions = Data.define(:name, :units, :wall_ns, :target, :window, :calls) do
      # @param windows [Enumerable<Holdup::Window>] of kinds :transaction and :transaction_call
      # @param units [Enumerable<Holdup::Window>] of the requests and jobs
      # @return [Array<UnitTransactions>] those that were open longest first
      def self.all(windows, units:)
        units = units.group_by { |window| window.series.name }
        known = windows.select { |window| units.key?(window.series.name) }.group_by { |one| one.series.kind }
        calls = known.fetch(:transaction_call, []).group_by { |window| window.series.name }
        found = known.fetch(:transaction, []).group_by(&:series).map do |series, same|
          of(series, Window.sum(same), units.fetch(series.name), calls.fetch(series.name, []))
        end
        found.sort_by { |line| [-line.open.sum, line.name, line.target.to_s] }
      end

      def self.of(series, window, units, calls)
        count = units.sum(&:count)
        new(name: series.name, units: count, wall_ns: units.sum { |unit| unit.histograms[:wall].sum },
          target: series.queue.to_s.split(" ", 2)[1], window:,
          calls: UnitCalls::CallLine.all(calls, units: count))
      end
      private_class_method :of

      def count = window.count

      # Those that were rolled back, or whose COMMIT failed.
      def rolled_back = window.errors

      # Transactions of a request or job, on average over all of that name.
      def each = count.fdiv(units)

      # Time from BEGIN to the answer of COMMIT or ROLLBACK.
      # @return [Histogram] ns
      def open = window.histograms[:wall]

      def longest_ns = open.max

      # Wait for the answers of its own statements.
      def database_ns = [own_calls.sum { |line| line.remote.sum }, idle_ns].min

      # Wait for the answers of other systems.
      def other_calls_ns = [other_calls.sum { |line| line.remote.sum }, idle_ns - database_ns].min

      # Locks, sleep, files, work in native code.
      def other_waits_ns = idle_ns - database_ns - other_calls_ns

      def stalled_ns = window.stalled_ns

      def starved_ns = window.sums[:starved_ns]

      # Ruby code, with garbage collection and native code that keeps the GVL.
      def ruby_ns = window.histograms[:running].sum - starved_ns

      # @return [Array<UnitCalls::CallLine>] to other systems, those that took longest first
      def other_calls = calls - own_calls

      # @param ns [Integer] a part of the time in which they were open
      # @return [Float] 0..1
      def share_of_open(ns) = ns.fdiv([open.sum, 1].max)

      private

      def own_calls = calls.select { |line| line.system == "sql" && line.target == target }

      def idle_ns = window.histograms[:idle].sum
    end
  end
end
