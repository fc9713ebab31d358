# frozen_string_literal: true

require "date"

module Holdup
  module Store
    class Clickhouse
      # Deletes what is too old: at once for readers, by a step that shows it no more (see RollupSteps), and
      # then by dropping whole partitions. A partition of commits goes only when a step has taken all of it.
      # What has no partitions is small; once a day, what nothing needs any more is deleted row by row.
      class Upkeep
        # Kept by age alone, see RollupSteps::RollupState#kept.
        KEEP_S = {samples: Tier::KEEP_S.fetch(Tier::FINEST), unit_samples: SampleRetention::KEEP_S,
                  slowest_units: SlowestBlock::KEEP_S, arrivals: ArrivalBlock::KEEP_S,
                  skipped: SkippedRow::KEEP_S, audit: AuditEntry::KEEP_S, deaths: Autopsy::KEEP_S,
                  notices: Notice::KEEP_S, outcomes: Tier::LONGEST_S, answers: KeptAnswer::KEEP_S}.freeze
        # Room for a collector whose clock is wrong, and for commits that are under way.
        SPARE_S = 2 * DAY_S
        # Sessions, names and claims that were silent for so long may go: longer than checkpoints are needed.
        FORGET_S = CollectorCheckpoint::KEEP_S + CheckpointNames::FORGET_S
        # One statement deletes at most so many, so that it stays short.
        FORGET_MOST = 2000
        # Last second of what a partition of commits has.
        LAST = {minutes: "max(start_s + seconds)", samples: "max(at_s)", unit_samples: "max(start_s)",
                slowest_units: "max(start_s)", arrivals: "max(start_s)"}.freeze
        private_constant :SPARE_S, :FORGET_S, :FORGET_MOST, :LAST

        # SlowestRows and ArrivalRows.
        BlockRows = Struct.new(:slowest, :arrivals)

        # @param blocks [BlockRows]
        def initialize(client, steps, spans, records, blocks)
          @client = client
          @slowest = blocks.slowest
          @arrivals = blocks.arrivals
          @steps = steps
          @spans = spans
          @records = records
        end

        # @param max_bytes [Numeric]
        # @return [Integer] windows that are gone
        def prune(now_s, max_bytes)
          deleted = hide(now_s, max_bytes)
          forget
          deleted
        end

        # @param starts [Hash{Integer => Integer}] see Tier.kept_from
        # @return [Boolean] false: it can't be done, or another collector rolls up
        def kept_from(starts)
          tiers = nil
          after = @steps.run do |before, epoch|
            carry(before, epoch)
            tiers = Tier.kept_from(before.tiers, starts)
            before.with(tiers: tiers || before.tiers)
          end
          !!(after && tiers)
        end

        # @return [Integer] bytes on the disk of the windows that are shown, and of single units
        def bytes(state = @steps.state)
          sizes = table_sizes
          rows = state.tiers.sum { |tier| Windows.new(@client, @spans, state).count(tier.seconds) }
          stored = sizes.values_at("minutes", "windows", "host_sums").compact
          share = rows.fdiv([stored.sum(&:last), 1].max)
          (stored.sum(&:first) * [share, 1].min).ceil +
            %w[unit_samples slowest_units arrivals].sum { |table| sizes.fetch(table, [0]).first }
        end

        # Windows as Tier::Pruning sees them. What it changes is the state, which a step saves.
        class Windows
          attr_reader :state

          def initialize(client, spans, state, bytes = nil)
            @client = client
            @spans = spans
            @state = state
            @bytes = bytes
          end

          def transaction = yield

          def tiers = @state.tiers

          # Remembers what it showed before, for `delete_before`.
          def save_tier(tier)
            @before = @state
            @state = @state.with_tier(tier)
          end

          # The first start at or after that second, and before `to_s`: the fewer rows, the less it reads.
          def first_start(seconds, from_s, to_s = nil)
            times = part(seconds, from_s, to_s || 1 << 40).times
            count, first = select("count(), min(at_s)", times)
            first if count.positive?
          end

          # They are hidden already.
          # @return [Integer] how many
          def delete_before(seconds, before_s)
            shown = part(seconds, 0, before_s, @before).source([])
            select("uniqExact(cityHash64(at_s, series, setting, host))", shown).first
          end

          # @return [Integer] rows: a minute has one of each commit, and perhaps some that arrived twice
          def count(seconds)
            select("count()", part(seconds, 0, 1 << 40).times).first
          end

          def bytes = @bytes.call(@state)

          private

          def part(seconds, from_s, to_s, state = @state)
            @spans.part(seconds, from_s, to_s, state)
          end

          def select(columns, rows)
            @client.rows("SELECT #{columns} FROM (#{rows})").first.map(&:to_i)
          end
        end

        private

        # @return [Integer] windows that are gone
        def hide(now_s, max_bytes)
          state = @steps.state
          if pruned(state, now_s, max_bytes).last == state
            drop(state, now_s) # what a roll-up has taken meanwhile
            return 0
          end
          deleted = 0
          after = @steps.run do |before, epoch|
            carry(before, epoch)
            prune_checkpoints(before, now_s)
            deleted, pruned = pruned(before, now_s, max_bytes)
            pruned
          end
          drop(after, now_s) if after
          deleted
        end

        # A collector of these folders would do the same.
        def prune_checkpoints(before, now_s)
          session = CommitSession.new(@client)
          CheckpointNames.silent(@records.collector_checkpoints(before), now_s).each do |id|
            texts = session.checkpoints(CheckpointNames.scope(id))
            changes = CheckpointNames.pruned(id, texts.keys, texts[CheckpointNames.token(id)], now_s)
            session.commit({}, changes, []) if changes.any?
          end
        end

        # This happens once a day, also after a failure: nothing is wrong that can't wait.
        def forget
          return if @forgot_on == Clickhouse.day
          @forgot_on = Clickhouse.day
          forget_sessions
          forget_names("series", %w[series path], %w[minutes windows slowest_units])
          forget_names("setting", %w[setting], %w[minutes windows unit_samples slowest_units arrivals])
          delete("steps", "kind = 'claim' AND epoch < #{@steps.state.step} AND toDate(written) < #{silent}")
        end

        # The last day that counts as silent, by this host's clock.
        def silent = "'#{Clickhouse.day(FORGET_S)}'"

        # Their rows are gone. A close goes with the session that it closes, because that would count on
        # without it. Outcomes, deaths, notices and the audit log are
        # kept for longer.
        def forget_sessions
          audited = "kind = 'audit' AND toDate(written) >= '#{Clickhouse.day(AuditEntry::KEEP_S)}'"
          died = "kind IN ('death', 'returned') AND toDate(written) >= '#{Clickhouse.day(Autopsy::KEEP_S)}'"
          noticed = "kind = 'notice' AND toDate(written) >= '#{Clickhouse.day(Notice::KEEP_S)}'"
          kept = "kind = 'outcome' OR (#{audited}) OR (#{died}) OR (#{noticed})"
          old = "SELECT session FROM commits WHERE kind != 'close' GROUP BY session " \
            "HAVING toDate(max(written)) < #{silent} AND countIf(#{kept}) = 0"
          used = %w[minutes samples unit_samples slowest_units arrivals recent_figures].map do |table|
            "session NOT IN (SELECT session FROM #{table})"
          end
          ids = @client.rows("SELECT session FROM (#{old}) WHERE #{used.join(" AND ")} LIMIT #{FORGET_MOST}")
          return if ids.empty?
          names = ids.map { |id,| "'#{id}'" }.join(", ")
          delete("commits", "(kind != 'close' AND session IN (#{ids.join(", ")})) OR " \
            "(kind = 'close' AND name IN (#{names}))")
        end

        # @param column [String] of the ids in these tables
        def forget_names(column, kinds, tables)
          before_ns = Time.utc(*Clickhouse.day(FORGET_S).split("-")).to_i * NS
          old = "kind IN (#{kinds.map { |kind| "'#{kind}'" }.join(", ")}) AND stamp < #{before_ns}"
          used = tables.map { |table| "id NOT IN (SELECT #{column} FROM #{table})" }
          ids = @client.rows("SELECT DISTINCT id FROM names WHERE #{old} AND #{used.join(" AND ")} " \
            "LIMIT #{FORGET_MOST}")
          delete("names", "#{old} AND id IN (#{ids.join(", ")})") if ids.any?
        end

        # The server deletes in the background.
        def delete(table, condition)
          return if @client.rows("SELECT count() FROM #{table} WHERE #{condition}").dig(0, 0).to_i.zero?
          @client.run("ALTER TABLE #{table} DELETE WHERE #{condition}")
        end

        # @return [Array(Integer, RollupSteps::RollupState)] windows that go, and the state after
        def pruned(state, now_s, max_bytes)
          windows = Windows.new(@client, @spans, state, method(:bytes))
          deleted = Tier::Pruning.new(windows).run(now_s, max_bytes:)
          [deleted, kept(windows.state, now_s, max_bytes)]
        end

        # Only limits that hide something change.
        def kept(state, now_s, max_bytes)
          limits = KEEP_S.transform_values { |keep_s| now_s - keep_s }
          limits[:samples] = [limits[:samples], state.tiers.first.kept_from_s].max
          limits[:collector_checkpoints] = (now_s - CollectorCheckpoint::KEEP_S) * NS
          if max_bytes != Float::INFINITY
            sizes = @records.unit_sample_sizes(state)
            limits[:unit_samples] = SampleRetention.from_s(sizes, now_s, max_bytes)
            limits[:slowest_units] = SlowestRetention.from_s(@slowest.sizes(state), now_s, max_bytes)
          end
          limits.select! do |table, limit|
            oldest = oldest(table, limit, state)
            oldest && oldest < limit
          end
          limits.empty? ? state : state.with(kept: state.kept.merge(limits))
        end

        # @return [Integer, nil] of what is shown; of large tables only what is older than the limit is read
        def oldest(table, limit, state)
          case table
          when :samples
            old = "at_s >= #{state.kept_from(:samples)} AND at_s < #{limit}"
            found = @client.rows("SELECT count(), min(at_s) FROM samples WHERE #{old}")
            count, first = found.first.map(&:to_i)
            first if count.positive?
          when :unit_samples then @records.unit_sample_starts(0, limit, state).first
          when :slowest_units then @slowest.oldest_s(limit, state)
          when :arrivals then @arrivals.oldest_s(limit, state)
          when :collector_checkpoints then @records.collector_checkpoints(state).map(&:at_ns).min
          when :skipped then @records.skipped(state).map(&:at_s).min
          when :audit then @records.audit(0, 1 << 40, state).first&.at_s
          when :deaths then @records.deaths(0, 1 << 40, state).first&.at_s
          when :notices then @records.notices(0, 1 << 40, state).first&.at_s
          when :outcomes then @records.outcomes(state).map(&:at_s).min
          when :answers then @records.oldest_answer_s(state)
          end
        end

        # A step that takes nothing new goes as far as the one before.
        def carry(before, epoch)
          @client.run("INSERT INTO reached (day, step, session, number) " \
            "SELECT toDate('#{Clickhouse.day}'), #{epoch}, session, max(number) FROM reached " \
            "WHERE step = #{before.step} GROUP BY session")
        end

        def table_sizes
          rows = @client.rows("SELECT table, sum(bytes_on_disk), sum(rows) FROM system.parts " \
            "WHERE database = currentDatabase() AND active GROUP BY table")
          rows.to_h { |table, bytes, count| [table, [bytes.to_i, count.to_i]] }
        end

        def drop(state, now_s)
          partitions = @client.rows("SELECT DISTINCT table, partition FROM system.parts " \
            "WHERE database = currentDatabase() AND active")
          partitions.each do |table, partition|
            next unless gone?(table, partition, state, now_s)
            literal = partition.match?(/\A(?:\(|\d+\z)/) ? partition : HttpClient.quote(partition)
            @client.run("ALTER TABLE #{table} DROP PARTITION #{literal}")
          end
        end

        def gone?(table, partition, state, now_s)
          case table
          when "recent_figures" then partition.to_i < (now_s - RecentFigures::KEEP_S) / HOUR_S
          when "windows", "host_sums" then coarse_gone?(partition, state)
          when "reached" then old?(partition, 0) && @client.rows("SELECT count() FROM reached WHERE " \
            "day = '#{partition}' AND step = #{state.step}").dig(0, 0).to_i.zero?
          when "minutes" then old?(partition, KEEP_S.fetch(:samples)) && minutes_gone?(partition, state)
          when "samples", "unit_samples", "slowest_units", "arrivals"
            kind = table.to_sym
            old?(partition, KEEP_S.fetch(kind)) && last(table, partition) < state.kept_from(kind)
          end
        end

        # Age by this host's clock, whatever is in the partition.
        def old?(day, keep_s) = Date.parse(day) < Date.parse(Clickhouse.day(keep_s + SPARE_S))

        def last(table, day)
          @client.rows("SELECT #{LAST.fetch(table.to_sym)} FROM #{table} WHERE day = '#{day}'").dig(0, 0).to_i
        end

        def minutes_gone?(day, state)
          return false unless last("minutes", day) <= state.tiers.first.kept_from_s
          untaken = Spans::CommitRanges.of(state).untaken("day = '#{day}'")
          @client.rows("SELECT count() FROM minutes #{untaken}").dig(0, 0).to_i.zero?
        end

        # @param partition [String] seconds and month, and of minutes the day: "(60,202611,28)"
        def coarse_gone?(partition, state)
          seconds, month, day = partition.scan(/\d+/).map(&:to_i)
          first = Date.new(month / 100, month % 100, [day.to_i, 1].max)
          following = day.to_i.zero? ? first.next_month : first.next_day
          following.to_time.to_i + DAY_S < state.tier(seconds).kept_from_s
        end
      end
    end
  end
end
