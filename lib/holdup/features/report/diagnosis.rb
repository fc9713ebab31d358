# frozen_string_literal: true

module Holdup
  module Report
    # Why the requests or jobs of one name take as long as they do: of all reasons the one with the largest
    # share of their elapsed time. Those who make others wait for the GVL are named for that first.
    class Diagnosis
      # Parts of the summary that it needs.
      PARTS = [*View::MainWait::PARTS, :transactions, :repeats].freeze
      # A smaller share of the elapsed time is no reason.
      WORTH = 0.1
      # A reason that names what to change comes before a state that takes up to so many times as long.
      NAMED = {n_plus_one: 2.0, transaction: 1.5}.freeze
      # A state is left out where a reason explains at least this share of it.
      EXPLAINED = 0.5
      REASONS = {upstream: :io, memory: :cpu}.freeze
      private_constant :REASONS

      # `key`: :holder, :gvl, :n_plus_one, :pool, :lock, :transaction, :upstream, :io, :sleep, :native,
      # :starved, :memory, :cpu or :calm; `share`: of the elapsed time; of :holder, of all stall
      DiagnosedReason = Data.define(:key, :share, :facts)
      private_constant :DiagnosedReason

      # @param summary [Analysis::Summary] by name, with PARTS
      def initialize(summary)
        @summary = summary
      end

      # @param row [Analysis::SeriesRow]
      # @return [#key, #share, #facts]
      def of(row)
        holder(row) || reasons(row).max_by { |found| weight(found) } ||
          DiagnosedReason.new(key: :calm, share: 0.0, facts: {})
      end

      private

      def holder(row)
        whole_ns = @summary.blame.whole_ns
        return if whole_ns.zero? || !Analysis::StallVerdict.stalls?(@summary.total)
        share = row.caused_ns.fdiv(whole_ns)
        return if share < Analysis::Thresholds::CAUSED
        party = Analysis::StallPairs::Party.new(name: row.name, kind: row.kind)
        facts = {place: @summary.holder_place(party), hold_ns: row.met_hold}
        DiagnosedReason.new(key: :holder, share:, facts:)
      end

      def weight(found) = found.share * NAMED.fetch(found.key, 1.0)

      def reasons(row)
        return [] if row.wall_ns.zero?
        found = [*states(row), repeats(row), transaction(row), upstream(row), pool(row), memory(row)].compact
        found = found.select { |reason| reason.share >= WORTH }
        explained = found.filter_map { |reason| REASONS[reason.key] if explains?(reason, found) }
        found.reject { |reason| explained.include?(reason.key) }
      end

      def explains?(reason, found)
        state = found.find { |one| one.key == REASONS[reason.key] }
        !state.nil? && reason.share >= EXPLAINED * state.share
      end

      # Waits for connections are a part of sleep, or of locks.
      def states(row)
        split = row.split
        pool = share(row, row.sum(:pool_wait_ns))
        waits = {sleep: [split.share(:sleep) - pool, 0.0].max, lock: split.share(:lock)}
        waits[:lock] = [waits[:lock] - pool, 0.0].max if split.share(:sleep) < pool
        shares = {gvl: split.share(:stalled), starved: split.share(:starved), io: split.share(:io),
                  native: split.share(:native), cpu: split.share(:cpu), **waits}
        shares.map { |key, share| DiagnosedReason.new(key:, share:, facts: {}) }
      end

      def repeats(row)
        query = @summary.repeated_queries.find { |one| one.name == row.name } or return
        facts = {each: query.each, place: query.place}
        DiagnosedReason.new(key: :n_plus_one, share: query.share, facts:)
      end

      # What others do while a transaction is open keeps rows locked for nothing.
      def transaction(row)
        line = @summary.transactions.find { |one| one.name == row.name } or return
        call = line.other_calls.first or return
        DiagnosedReason.new(key: :transaction, share: share(row, line.other_calls_ns), facts: {call:})
      end

      def upstream(row)
        calls = @summary.calls.find { |one| one.name == row.name } or return
        call = calls.lines.max_by { |line| line.remote.sum }
        facts = {call:, each_ns: row.per_unit(call.remote.sum)}
        DiagnosedReason.new(key: :upstream, share: share(row, call.remote.sum), facts:)
      end

      def pool(row)
        DiagnosedReason.new(key: :pool, share: share(row, row.sum(:pool_wait_ns)), facts: {})
      end

      def memory(row)
        objects = @summary.allocations.objects_each(row)
        gc_ns = @summary.allocations.gc_caused_ns(row) || row.sum(:gc_ns)
        DiagnosedReason.new(key: :memory, share: share(row, gc_ns), facts: {objects:})
      end

      def share(row, ns) = [ns.fdiv(row.wall_ns), 1.0].min
    end
  end
end
