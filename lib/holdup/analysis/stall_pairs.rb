# frozen_string_literal: true

module Holdup
  module Analysis
    # Who waited for what others held: the GVL, or connections of a pool; or for a lock until others ended
    # that. The probe charges each wait to the holders that it passed over (ext/holdup/hook/pairs.h,
    # unit/connection_holds.h) or to who ended it (hook/lock_ends.h), so a pair is measured, not estimated.
    # Its time is recorded when both have ended: of a span, a pair that runs across its edges may have more
    # or less than what the victim waited there.
    class StallPairs
      # One side of a pair. `kind`: :request, :job, :account for a thread outside of units, :others and
      # :unknown for several that are not named, :nobody for the time in which no thread held the GVL
      Party = Data.define(:name, :kind) do
        def queue = nil

        def unit? = Series::UNITS.include?(kind)

        # Whether it says who it was.
        def named? = unit? || kind == :account
      end

      # `ns` of the `suffered_ns` that all units of the victim waited in the span
      StallPair = Data.define(:causer, :victim, :ns, :suffered_ns) do
        # @return [Float] 0.0..1.0
        def share = suffered_ns.zero? ? 0.0 : ns.fdiv(suffered_ns).clamp(0.0, 1.0)

        # Whether it names somebody to look at.
        def named? = causer.named? && victim.named?
      end

      # @param windows [Array<Holdup::Window>] of one kind of pairs
      # @param suffered [Hash{Holdup::Series => Integer}] ns that units, and threads outside of units, waited
      # @param time [Symbol] of a window, what it says of a pair: stalled_ns, pool_wait_ns or lock_ns
      def initialize(windows, suffered:, time: :stalled_ns)
        @suffered = suffered.each_with_object(Hash.new(0)) { |(series, ns), sums| sums[series.name] += ns }
        @kinds = suffered.keys.to_h { |series| [series.name, series.kind] }
        @all = windows.group_by(&:series).map do |series, same|
          pair(series.queue, series.name, same.sum(&time))
        end
      end

      # @return [Array<StallPair>] most time first, `:nobody` and other nameless causers among them
      def to_a
        @sorted ||= @all.select { |pair| pair.ns.positive? && pair.victim.named? }
          .sort_by { |pair| [-pair.ns, pair.victim.name, pair.causer.name] }
      end

      # @param names [Array<String>]
      # @return [Array<StallPair>] of victims with such names
      def of_victims(names) = to_a.select { |pair| names.include?(pair.victim.name) }

      # @return [Array<StallPair>] of causers with such names
      def of_causers(names) = to_a.select { |pair| names.include?(pair.causer.name) }

      private

      def pair(causer, victim, ns)
        StallPair.new(causer: party(causer), victim: party(victim), ns:, suffered_ns: @suffered[victim])
      end

      def party(name)
        kind = Series::NAMELESS[name] || @kinds[name]
        kind ||= name.start_with?(Series::THREAD) ? :account : :request
        Party.new(name:, kind:)
      end
    end
  end
end
