# frozen_string_literal: true

module Holdup
  module Analysis
    # The one sentence that begins a report, as a key and facts. It checks in the order in which the answers
    # matter: is there data, has the machine CPUs for it, do units stall and who causes it, where does their
    # time go.
    class StallVerdict
      # Less stall than Thresholds::STALLED matters when its 99th percentile is this share of the 99th
      # percentile of the elapsed time.
      TAIL = 0.25
      # A cause with at least this share of the stall is named alone; with half of it, when it stands out.
      ONE_CAUSE = 0.4
      STANDS_OUT = 2
      HANDOFF = 0.5
      STARVED = 0.1
      # Locks that take so many times the stall come first.
      LOCKS_FIRST = 3
      # The share from which a state characterises the units.
      DOMINANT = {lock: 0.25, sleep: 0.25, native: 0.3, io: 0.5, cpu: 0.5}.freeze

      StallAnswer = Data.define(:key, :facts)

      # @param summary [Summary] with what was read so far
      # @return [Array<Symbol>] parts of the summary that the verdict needs
      def self.parts(summary)
        return [] if summary.empty?
        waits = summary.connections
        connections = %i[coverage connection_pairs] if waits.notable? || waits.waiter
        [:samples, *connections, *parts_of_holder(summary)]
      end

      def self.parts_of_holder(summary)
        return [] unless summary.filter.name
        found = summary.read?(:pairs) && summary.main_pairs.any?
        found ? %i[pairs holding_methods calls] : [:pairs]
      end
      private_class_method :parts_of_holder

      # @param row [SeriesRow]
      # @return [Boolean] whether such requests or jobs stall enough to look for the reason
      def self.stalls?(row)
        row.split.share(:stalled) >= Thresholds::STALLED || tail(row) >= TAIL
      end

      def self.tail(row)
        wall = row.histogram(:wall).quantile(0.99)
        wall.to_i.zero? ? 0 : row.histogram(:stalled).quantile(0.99).to_f / wall
      end
      private_class_method :tail

      def initialize(summary)
        @summary = summary
        @split = summary.total.split
      end

      # @return [StallAnswer] key: :no_data :connections :connections_kept :connections_outside
      #   :connections_waits_for :connections_waits_for_own :connections_waits_for_thread :handoff :no_cpu
      #   :waits_for :waits_for_own :one_cause :account_cause :spread :starved :lock :sleep :native :io :cpu
      #   :calm; facts: shares 0.0 .. 1.0, `cause` and `victim` a Blame::Account, SeriesRow or
      #   StallPairs::Party, `place` a HolderPlace or nil, `size` a String, `kind` :request :job :unit,
      #   `shortage` a CpuShortage
      def call
        return result(:no_data) if @summary.empty?
        return no_cpu if shortage
        return connections if connections?
        return dominant if locked?
        return stall if stalled?
        return result(:starved, share: @split.share(:starved)) if @split.share(:starved) >= STARVED
        dominant
      end

      # @return [StallAnswer, nil] the name that waits for connections for most of its time, and who has them;
      #   nil where none waits for long, or it is not known for whom
      def connection_wait
        pair = waits.main_pair or return
        result(connection_key(pair), victim: pair.victim, cause: pair.causer, share: waits.waiter.share,
          held_share: pair.share, size: waits.only_size)
      end

      private

      def connection_key(pair)
        return :connections_waits_for_own if pair.causer == pair.victim
        pair.causer.unit? ? :connections_waits_for : :connections_waits_for_thread
      end

      def shortage
        @shortage ||= [CpuShortage.of(@summary)]
        @shortage.first
      end

      def no_cpu
        result(:no_cpu, shortage:)
      end

      # More than they stall; else it is only a remark.
      def connections?
        return true if waits.notable? && waits.wait_share >= @split.share(:stalled)
        !waits.main_pair.nil? && waits.waiter.wait_ns >= @summary.total.stalled_ns
      end

      def connections
        return connection_wait if waits.main_pair && one_waiter?
        share = waits.wait_share
        holder = waits.holder
        size = waits.size
        return result(:connections, share:) unless holder && size && waits.outside_known?
        if waits.outside?
          return result(:connections_outside, share:, held_share: waits.outside_share, size:)
        end
        result(:connections_kept, share:, cause: holder, held_share: waits.held_share(holder), size:)
      end

      # Else the sentence is about all that wait.
      def one_waiter?
        !waits.notable? || 2 * waits.waiter.wait_ns >= @summary.total.sum(:pool_wait_ns)
      end

      def waits = @summary.connections

      def locked?
        least = [DOMINANT[:lock], LOCKS_FIRST * @split.share(:stalled)].max
        @split.largest == :lock && @split.share(:lock) >= least
      end

      def stalled?
        blame.units_suffered_ns.positive? && self.class.stalls?(@summary.total)
      end

      def stall
        return waits_for if main_pair
        return result(:handoff, share: blame.handoff_share) if blame.handoff_share >= HANDOFF
        cause = blame.main_cause
        share = blame.caused_share(cause)
        return result(:spread, cause:, share:) unless alone?(share)
        return result(:account_cause, cause:, share:) if cause.kind == :account
        result(:one_cause, cause:, share:, count_share: cause.count.fdiv(blame.count))
      end

      # Whom the requests or jobs of one name waited for.
      def waits_for
        key = (main_pair.causer == main_pair.victim) ? :waits_for_own : :waits_for
        known = @summary.read?(:holding_methods, :calls)
        place = @summary.holder_place(main_pair.causer) if known
        result(key, cause: main_pair.causer, share: main_pair.share, place:)
      end

      # @return [StallPairs::StallPair, nil] nil without a name, and where no pair stands out
      def main_pair
        return unless @summary.filter.name && @summary.read?(:pairs)
        @summary.main_pairs.values.first if @summary.pairs.uniq(&:victim).one?
      end

      def alone?(share)
        shares = (blame.series + blame.accounts).map { |account| blame.caused_share(account) }
        next_share = shares.max(2)[1].to_f
        share >= ONE_CAUSE || (share >= ONE_CAUSE / 2 && share >= STANDS_OUT * next_share)
      end

      def dominant
        characteristic = DOMINANT.keys.select { |name| @split.share(name) >= DOMINANT[name] }
        state = characteristic.max_by { |name| @split.share(name) }
        state ? result(state, share: @split.share(state)) : result(:calm)
      end

      def result(key, **facts)
        facts = {kind: @summary.unit_kind, stalled_share: @split.share(:stalled), **facts}
        StallAnswer.new(key:, facts:)
      end

      def blame = @summary.blame
    end
  end
end
