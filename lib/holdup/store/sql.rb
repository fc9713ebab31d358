# frozen_string_literal: true

module Holdup
  module Store
    # The store in a SQL database. `dialect`: Sqlite, or a DatabaseServer, with everything that differs
    # between databases.
    class Sql
      include Reader
      include Writer

      # The lock of those who add notices.
      NOTICES = "notices"
      private_constant :NOTICES

      def initialize(dialect)
        @connection = Connection.new(dialect)
        @codec = WindowCodec.new(@connection)
        @skipped = SmallTables::SkippedRows.new(@connection)
        @rows = WindowRows.new(@connection, @codec, @skipped)
        @spans = Spans.new(@connection, @rows, @codec)
        @checkpoints = SmallTables::Checkpoints.new(@connection)
        @paths = SmallTables::Paths.new(@connection, @codec.series)
        @samples = SmallTables::ProcessSamples.new(@connection, @codec.hosts)
        @unit_samples = UnitSamples.new(@connection, @codec, @skipped)
        @slowest = SlowestBlocks.new(@connection, @codec, @skipped)
        @arrivals = ArrivalBlocks.new(@connection, @codec, @skipped)
        @outcomes = SmallTables::PredictionOutcomes.new(@connection)
        @answers = SmallTables::KeptAnswers.new(@connection)
        @collectors = SmallTables::CollectorCheckpoints.new(@connection)
        @audit = SmallTables::AuditEntries.new(@connection)
        @deaths = DeathRows.new(@connection)
        @notices = NoticeRows.new(@connection)
        @recent = RecentRows.new(@connection, @codec.hosts)
      end

      def commit(windows, checkpoints, processes: [], unit_samples: [], slowest: [], arrivals: [], paths: {},
        skipped: [], collector_checkpoint: nil, audit: [], deaths: [], returned: [], notices: [], recent: nil,
        lengths: [Tier::FINEST], expected: {}, &bad_row)
        batch = WindowBatch.new(windows, lengths:) unless bad_row
        owners = expected.keys.map { |segment| lock(segment[/\A\S+/]) }
        rows = [*windows, *unit_samples, *slowest, *arrivals, *skipped, collector_checkpoint, recent].compact
        whole([*locks(rows, processes), *owners, *(NOTICES if notices.any?)]) do
          check(expected)
          @checkpoints.save(checkpoints)
          @skipped.add(skipped)
          @collectors.save(collector_checkpoint) if collector_checkpoint
          @audit.add(audit)
          @deaths.add(deaths)
          @deaths.remove(returned)
          @notices.add(notices)
          @recent.save(recent) if recent
          if bad_row
            add_each(windows, processes, [unit_samples, slowest, arrivals], paths, lengths:, &bad_row)
          else
            add(batch, processes, [unit_samples, slowest, arrivals], paths)
          end
        end
      end

      def snapshot
        @connection.read { yield }
      end

      def skipped_rows = @skipped.to_a

      def collector_checkpoints = @collectors.to_a

      def audit_entries(from_s, to_s, events: nil) = @audit.between(from_s, to_s, events)

      def deaths(from_s, to_s) = @deaths.between(from_s, to_s)

      def notices(from_s, to_s) = @notices.between(from_s, to_s)

      def paths = @paths.to_h

      def checkpoints(host: nil)
        return @checkpoints.to_h unless host
        @connection.write(locks: [lock(host)]) { @checkpoints.to_h("#{host} ") }
      end

      def windows(...) = @spans.windows(...)

      def sums(...) = @spans.sums(...)

      def step_sums(...) = @spans.step_sums(...)

      def setting_starts(...) = @spans.setting_starts(...)

      def processes(from_s, to_s, every_s: nil, ends: false, hosts: nil)
        @samples.between(from_s, to_s, every_s:, ends:, hosts:)
      end

      def unit_samples(from_s, to_s, setting: nil, most: SampleBlock::MOST)
        @unit_samples.between(from_s, to_s, setting, most)
      end

      def unit_spans(starts) = @unit_samples.spans(starts)

      def unit_sample_starts(from_s, to_s)
        @unit_samples.starts(from_s, to_s)
      end

      def slowest_units(from_s, to_s, most:, settings: nil, hosts: nil, **filter)
        @slowest.slowest(from_s, to_s, most, settings:, hosts:, filter: SeriesFilter.new(**filter))
      end

      def slowest_from_s = @slowest.from_s

      def slowest_blocks(from_s, to_s) = @slowest.blocks(from_s, to_s)

      def recent_figures(from_s, to_s, hosts: nil) = @recent.between(from_s, to_s, hosts)

      def arrivals(from_s, to_s) = @arrivals.between(from_s, to_s)

      def tiers = @rows.tiers

      def kept_from(starts)
        @connection.upkeep do
          @rows.transaction do
            changed = Tier.kept_from(@rows.tiers, starts)
            changed&.each { |tier| @rows.save_tier(tier) }
          end
        end || raise(StoreError::RollingUp.new(location: @connection.dialect.location))
        nil
      end

      def settings = @codec.settings.load.sort.map(&:last)

      def hosts = @codec.hosts.load.values.sort

      def keep(outcome)
        whole(["outcomes"]) { @outcomes.keep(outcome) }
      end

      def outcomes = @outcomes.to_a

      def keep_answer(answer)
        whole(["answers"]) { @answers.keep(answer) }
      end

      def answer(question) = @answers.find(question)

      def clock_s
        @connection.use { |db| @connection.dialect.clock_s(db) }
      end

      def rollup(now_s)
        @connection.upkeep { Tier::Rollup.new(@rows).run(now_s) } || 0
      end

      def prune(now_s, max_bytes: nil)
        max_bytes ||= @connection.dialect.default_max_bytes
        deleted = @connection.upkeep do
          @rows.sum_hosts
          windows = Tier::Pruning.new(@rows).run(now_s, max_bytes:)
          @rows.transaction { prune_the_rest(now_s, max_bytes) }
          windows
        end
        @connection.use { |db| @connection.dialect.shrink(db) }
        deleted || 0
      end

      def migrate!
        @connection.migrate
        nil
      end

      def extent = @rows.extent

      def health
        @connection.read do |db|
          oldest_s, newest_s = @rows.extent
          bytes = @connection.dialect.bytes(db, count: false)
          {location: @connection.dialect.location, schema: @connection.schema_version, bytes:,
           read_only: @connection.dialect.read_only?, series: db[:series].count, oldest_s:, newest_s:}
        end
      end

      def close = @connection.close

      private

      # Another collector has gone on from the same checkpoints, so this one has to read them again.
      def check(expected)
        stored = expected.to_h { |segment, _| [segment, @checkpoints[segment]&.b] }
        return if expected.all? { |segment, checkpoint| stored[segment] == checkpoint&.b }
        lost = expected.any? { |segment, checkpoint| checkpoint && stored[segment].nil? }
        raise StoreError::Overtaken.new(location: @connection.dialect.location, lost:)
      end

      # Of everything that is written, the hosts, whose rows no other collector may add to meanwhile.
      def locks(rows, processes)
        hosts = rows.map(&:host) + processes.map { |sample| sample[:host] }
        hosts.compact.uniq.map { |host| lock(host) }
      end

      def lock(host) = "host #{host}"

      def prune_the_rest(now_s, max_bytes)
        kept_from_s = @rows.tiers.first.kept_from_s
        @samples.delete_before([kept_from_s, now_s - Tier::KEEP_S.fetch(Tier::FINEST)].max)
        @unit_samples.prune(now_s, max_bytes)
        @slowest.prune(now_s, max_bytes)
        @arrivals.prune(now_s)
        @outcomes.delete_before(now_s - Tier::LONGEST_S)
        @answers.delete_before(now_s - KeptAnswer::KEEP_S)
        @skipped.prune(now_s)
        @audit.delete_before(now_s - AuditEntry::KEEP_S)
        @deaths.prune(now_s)
        @notices.prune(now_s)
        @recent.prune(now_s)
        @checkpoints.prune(CheckpointNames.silent(@collectors.to_a, now_s), now_s)
        @collectors.prune(now_s)
      end

      # @param units [Array(Array<SampleBlock>, Array<SlowestBlock>, Array<ArrivalBlock>)]
      def add(batch, processes, units, paths)
        unit_samples, slowest, arrivals = units
        @rows.merge(batch.rows(@rows.tiers))
        @samples.add(processes)
        @unit_samples.merge(unit_samples)
        @slowest.merge(slowest)
        @arrivals.merge(arrivals)
        @paths.save(paths)
      end

      def add_each(windows, processes, units, paths, lengths:, &bad_row)
        unit_samples, slowest, arrivals = units
        tiers = @rows.tiers
        faults = each_alone(windows) { |window| @rows.merge(WindowBatch.new([window], lengths:).rows(tiers)) }
        raise faults.first.last if faults.any? && faults.size == windows.size
        faults += each_alone(processes) { |sample| @samples.add([sample]) }
        faults += each_alone(unit_samples) { |block| @unit_samples.merge([block]) }
        faults += each_alone(slowest) { |block| @slowest.merge([block]) }
        faults += each_alone(arrivals) { |block| @arrivals.merge([block]) }
        faults += each_alone(paths.to_a) { |series, path| @paths.save({series => path}) }
        @skipped.add(faults.map(&bad_row))
      end

      # @return [Array<(Object, StandardError)>] rows that can't be written
      def each_alone(rows)
        rows.filter_map do |row|
          error = @connection.attempt { yield row } or next
          @codec.forget
          [row, error]
        end
      end

      # After a failed transaction, cached ids may not exist.
      def whole(locks, &)
        done = false
        @connection.write(locks:, &)
        done = true
        nil
      ensure
        @codec.forget unless done
      end
    end
  end
end
