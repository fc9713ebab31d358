# frozen_string_literal: true

require "json"

module Holdup
  module Store
    class Clickhouse
      # The roll-up. A step takes all commits that came since the step before, adds their minutes up over
      # hosts, and adds them to the longer windows: whole spans that are complete now, and what came late for
      # earlier ones. A step a minute leaves little for readers to add up. Its rows have
      # its epoch. They count once the step's own row is in `steps`, which also has the state of the tiers.
      # The newest step holds, and names those before it that were left unfinished. A minute that no step has
      # taken yet is added by the reader (see Spans). Pruning is a step too.
      class RollupSteps
        # How long another collector that rolls up or prunes is waited for. A killed one holds it up as long.
        LEASE_S = 120
        # How long the commits of a session that is being fenced wait for that to be finished.
        PENDING_S = 3600

        # RollupState after a step. `step`: its epoch, 0 before the first; `at_s`: when it was, of the last
        # roll-up; `voids`: epochs of unfinished ones; `tiers`: Array of Tier; `kept`: {Symbol => Integer}: by
        # table, second before which nothing is shown
        RollupState = Data.define(:step, :at_s, :voids, :tiers, :kept) do
          def self.fresh = new(step: 0, at_s: 0, voids: [], tiers: Tier.fresh, kept: {})

          def self.parse(text)
            facts = JSON.parse(text, symbolize_names: true)
            new(**facts, tiers: facts[:tiers].map { |tier| Tier.new(**tier) })
          end

          def to_json(*) = to_h.merge(tiers: tiers.map(&:to_h)).to_json

          # Condition of the rows of `windows` that count.
          def counting
            "step <= #{step}#{" AND step NOT IN (#{voids.join(", ")})" if voids.any?}"
          end

          def kept_from(table) = kept.fetch(table, -1 << 62)

          def tier(seconds) = tiers.find { |tier| tier.seconds == seconds }

          # @param tier [Tier] replaces the one of its length
          def with_tier(tier)
            with(tiers: tiers.map { |one| (one.seconds == tier.seconds) ? tier : one })
          end
        end

        def initialize(client)
          @client = client
        end

        # @return [RollupState]
        def state
          newest = "SELECT text FROM steps WHERE kind = 'step' ORDER BY epoch DESC LIMIT 1"
          text = @client.rows(newest).dig(0, 0)
          text ? RollupState.parse(text) : RollupState.fresh
        end

        # Runs the block with the newest state, unless another collector is at such work.
        # @yieldparam state [RollupState] before; its `step` is that of the step before
        # @yieldparam epoch [Integer] of this step
        # @yieldreturn [RollupState] after
        # @return [RollupState, nil] nil when another is at it
        def run
          before, claims = open_claims
          return if claims.any? { |_, age_s| age_s < LEASE_S }
          epoch = CommitSession.epoch_after([before.step, *claims.map(&:first)].max)
          @client.insert("steps", [{kind: "claim", epoch:, slot: epoch, text: ""}])
          before, claims = open_claims
          others = claims.map(&:first) - [epoch]
          return if before.step > epoch || others.any? { |other| other > epoch }
          after = yield(before, epoch).with(step: epoch, voids: before.voids + others)
          @client.insert("steps", [{kind: "step", epoch:, slot: 0, text: after.to_json}])
          after
        end

        # @return [Integer] spans written
        def roll(now_s)
          return 0 unless due?(state, now_s)
          spans = 0
          run do |before, epoch|
            taken = take(before, epoch)
            reader = Spans.new(@client, self)
            reach_s = reader.reach_s(before)
            add_minutes(before, epoch, taken, reach_s) if reach_s
            reach = reader.late_from_s(before, reach_s)
            before.tiers.each_cons(2).reduce(before.with(at_s: now_s)) do |known, (fine, coarse)|
              limit = coarse.floor(complete_to(known.tier(fine.seconds), now_s))
              rolled = coarse.with(rolled_to_s: [limit, coarse.rolled_to_s].max)
              spans += add(known, epoch, rolled, fine: fine.seconds, taken:, reach:)
              known.with_tier(rolled)
            end
          end
          spans
        end

        private

        # @return [Array(RollupState, Array<(Integer, Integer)>)] the newest; epochs and ages of
        #   claims that came later
        def open_claims
          newest = state
          claims = @client.rows("SELECT epoch, max(toInt64(now()) - toInt64(written)) FROM steps " \
            "WHERE kind = 'claim' AND epoch > #{newest.step} GROUP BY epoch")
          [newest, claims.map { |row| row.map(&:to_i) }]
        end

        # A step is due in each minute, for whichever collector comes first. The shortest of the longer
        # windows decides after a clock was set back.
        def due?(state, now_s)
          fine, coarse = state.tiers
          fine.floor(now_s) > state.at_s || coarse.floor(complete_to(fine, now_s)) > coarse.rolled_to_s
        end

        def complete_to(fine, now_s)
          fine.rolled? ? fine.rolled_to_s : now_s - Tier::Rollup::GRACE_S
        end

        # Fixes up to which commit of each session this step goes.
        # @return [Spans::CommitRanges] what it takes
        def take(before, epoch)
          found = CommitSession::CommitFacts.new(@client, "kind IN ('commit', 'close', 'claim')")
          done = reached(before.step)
          waiting = waiting(found)
          rows = found.of("commit").map do |fact|
            number = waiting.include?(fact.session) ? done.fetch(fact.session, 0) : found.last(fact.session)
            {day: Clickhouse.day, step: epoch, session: fact.session, number:}
          end
          @client.insert("reached", rows)
          ranges = rows.map { |row| [*row.values_at(:session, :number), done.fetch(row[:session], 0)] }
          question = "SELECT session, last, done FROM (SELECT session, number AS last FROM reached " \
            "WHERE step = #{epoch}) ANY LEFT JOIN (SELECT session, number AS done FROM reached " \
            "WHERE step = #{before.step}) USING session"
          Spans::CommitRanges.new(question:, rows: ranges)
        end

        def reached(step)
          rows = @client.rows("SELECT session, number FROM reached WHERE step = #{step}")
          rows.to_h { |row| row.map(&:to_i) }
        end

        # Sessions that another one is just closing, at a commit that is not known yet.
        def waiting(found)
          rows = @client.rows("SELECT session FROM commits WHERE kind = 'claim' " \
            "AND written > now() - #{PENDING_S}")
          recent = rows.flatten.map(&:to_i)
          by_scope = found.of("claim").group_by(&:name)
          by_scope.values.flat_map do |claims|
            newest = claims.select { |claim| recent.include?(claim.session) }.map(&:epoch).max || 0
            claims.select { |claim| claim.epoch < newest }.map(&:session)
          end.reject { |session| found.closed?(session) }
        end

        # @param taken [Spans::CommitRanges]
        # @param reach [Integer, nil] start of the oldest late minute
        # @return [Integer] new spans
        def add(before, epoch, rolled, fine:, taken:, reach:)
          from_s = before.tier(rolled.seconds).rolled_to_s
          sources = [late(taken, rolled, from_s:, reach:)]
          sources << fresh(before, epoch, rolled, fine:, from_s:) if rolled.rolled_to_s > from_s
          sources.compact!
          return 0 if sources.empty?
          keys = "step, seconds, start_s, series, setting, host"
          @client.run("INSERT INTO windows (#{keys}, #{WindowColumns::ALL}) " \
            "SELECT #{epoch}, #{rolled.seconds}, at_s, series, setting, host, #{WindowColumns::SUMS} " \
            "FROM (#{sources.join(" UNION ALL ")}) GROUP BY at_s, series, setting, host")
          add_hosts(epoch, rolled.seconds)
          @client.rows("SELECT uniqExact(start_s) FROM windows WHERE step = #{epoch} " \
            "AND seconds = #{rolled.seconds} AND start_s >= #{from_s}").dig(0, 0).to_i
        end

        # Only sums over hosts are written of the minutes that the step takes: each row of a host is there.
        # @param reach_s [Integer] none of them is older
        def add_minutes(before, epoch, taken, reach_s)
          minutes = before.tiers.first
          columns = WindowColumns.plain(minutes.seconds)
          wanted = "seconds = #{minutes.seconds} AND start_s >= #{[reach_s, minutes.kept_from_s].max}"
          add_over_hosts(epoch, minutes.seconds, "SELECT #{columns} FROM minutes " \
            "#{taken.untaken(wanted)} #{WindowColumns::ONCE}, session, number")
        end

        # Sums over hosts of what the step has just written.
        def add_hosts(epoch, seconds)
          add_over_hosts(epoch, seconds, "SELECT #{WindowColumns.plain(seconds)} FROM windows " \
            "WHERE step = #{epoch} AND seconds = #{seconds} #{WindowColumns::ONCE}, step")
        end

        # @param windows [String] a select
        def add_over_hosts(epoch, seconds, windows)
          keys = "step, seconds, start_s, series, setting, first_host, last_host, windows"
          @client.run("INSERT INTO host_sums (#{keys}, #{WindowColumns::ALL}) " \
            "SELECT #{epoch}, #{seconds}, at_s, series, setting, min(host), max(host), " \
            "groupUniqArray(#{WindowColumns::WINDOW}), #{WindowColumns::SUMS} FROM (#{windows}) " \
            "GROUP BY at_s, series, setting")
        end

        # Rows of spans that are complete now.
        def fresh(before, epoch, rolled, fine:, from_s:)
          span = "seconds = #{fine} AND start_s >= #{from_s} AND start_s < #{rolled.rolled_to_s}"
          columns = WindowColumns.plain(rolled.seconds)
          if fine == Tier::FINEST
            taken = "SELECT session, number AS last FROM reached WHERE step = #{epoch}"
            return "SELECT #{columns} FROM minutes ANY INNER JOIN (#{taken}) USING session " \
              "WHERE #{span} AND number <= last #{WindowColumns::ONCE}, session, number"
          end
          "SELECT #{columns} FROM windows WHERE #{span} AND (step = #{epoch} OR (#{before.counting})) " \
            "#{WindowColumns::ONCE}, step"
        end

        # What came since the step before, for earlier spans.
        def late(taken, rolled, from_s:, reach:)
          return if reach.nil? || reach >= from_s
          at_s = WindowColumns.at(rolled.seconds)
          wanted = "seconds <= #{rolled.seconds} AND start_s >= #{rolled.floor(reach)} " \
            "AND #{at_s} < #{from_s} AND #{at_s} >= #{rolled.kept_from_s}"
          "SELECT #{WindowColumns.plain(rolled.seconds)} FROM minutes #{taken.untaken(wanted)} " \
            "#{WindowColumns::ONCE}, session, number"
        end
      end
    end
  end
end
