# frozen_string_literal: true

module Holdup
  module Analysis
    # The one thing a person should understand first, as a key and facts; a language makes a sentence of it.
    # It asks in the order in which the answers matter: is there data, do units stall and who causes it, is
    # the CPU missing, and only then what they spend their time on.
    class StallVerdict
      # Stall below this share of the elapsed time is no one's problem, unless the tail says otherwise.
      STALLED = 0.05
      # ... when the worst hundredth of the stall is this much of the worst hundredth of the elapsed time.
      TAIL = 0.25
      # A cause with at least this share of the stall is named alone; with half of it, when it stands out from
      # the next.
      ONE_CAUSE = 0.4
      STANDS_OUT = 2
      HANDOFF = 0.5
      STARVED = 0.1
      # Locks that take so many times the stall are what a person should look at first, stall or not.
      LOCKS_FIRST = 3
      # The share from which a state characterises the units.
      DOMINANT = {lock: 0.25, sleep: 0.25, native: 0.3, io: 0.5, cpu: 0.5}.freeze

      Result = Data.define(:key, :facts)

      # @param summary [Summary]
      def initialize(summary)
        @summary = summary
        @split = summary.total.split
      end

      # @return [Result] key: :no_data :connections :connections_kept :connections_outside :handoff :one_cause
      #   :account_cause :spread :starved :lock :sleep :native :io :cpu :calm; facts: shares 0.0 .. 1.0,
      #   `cause` a Blame::Account or Row, `size` a String, `kind` :request :job :unit
      def call
        return result(:no_data) if @summary.empty?
        return connections if connections?
        return dominant if locked?
        return stall if stalled?
        return result(:starved, share: @split.share(:starved)) if @split.share(:starved) >= STARVED
        dominant
      end

      private

      # More than they stall; else it is only remarked.
      def connections?
        waits.notable? && waits.wait_share >= @split.share(:stalled)
      end

      def connections
        holder = waits.holder
        size = waits.size
        return result(:connections, share: waits.wait_share) unless holder && size && waits.outside_known?
        if waits.outside?
          return result(:connections_outside, share: waits.wait_share, held_share: waits.outside_share, size:)
        end
        result(:connections_kept, share: waits.wait_share, cause: holder,
          held_share: waits.held_share(holder), size:)
      end

      def waits = @summary.connections

      def locked?
        @split.largest == :lock && @split.share(:lock) >= [DOMINANT[:lock],
          LOCKS_FIRST * @split.share(:stalled)].max
      end

      def stalled?
        return false if blame.suffered_ns.zero?
        @split.share(:stalled) >= STALLED || tail >= TAIL
      end

      def tail
        wall = @summary.total.histogram(:wall).quantile(0.99)
        wall.to_i.zero? ? 0 : @summary.total.histogram(:stalled).quantile(0.99).fdiv(wall)
      end

      def stall
        return result(:handoff, share: blame.handoff_share) if blame.handoff_share >= HANDOFF
        cause = blame.main_cause
        share = blame.caused_share(cause)
        return result(:spread, cause:, share:) unless alone?(share)
        return result(:account_cause, cause:, share:) if cause.kind == :account
        result(:one_cause, cause:, share:, count_share: cause.count.fdiv(blame.count))
      end

      def alone?(share)
        next_share = (blame.series + blame.accounts).map { |line| blame.caused_share(line) }.max(2)[1].to_f
        share >= ONE_CAUSE || (share >= ONE_CAUSE / 2 && share >= STANDS_OUT * next_share)
      end

      def dominant
        state = DOMINANT.keys.select { |name| @split.share(name) >= DOMINANT[name] }.max_by { |name|
          @split.share(name)
        }
        state ? result(state, share: @split.share(state)) : result(:calm)
      end

      def result(key, **facts)
        Result.new(key:, facts: {kind: @summary.unit_kind, stalled_share: @split.share(:stalled), **facts})
      end

      def blame = @summary.blame
    end
  end
end
