# frozen_string_literal: true

module Holdup
  module Store
    # The store in a SQL database: one writer per host (the collector), any number of readers. One object
    # belongs to one thread and doesn't survive a fork. It opens nothing before the first call. `dialect`:
    # Sqlite, or a DatabaseServer, with everything that differs between databases.
    #
    # Commits add *deltas*: what happened in a minute since the last commit. The store adds each to the
    # existing row (same minute, series, setting and host), and to the coarser windows if the minute was
    # already rolled up, in the transaction that saves the checkpoints. A caller that repeats a failed commit
    # must therefore start again from the stored checkpoints; then every unit is counted once.
    class Sql
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
        @outcomes = SmallTables::PredictionOutcomes.new(@connection)
        @answers = SmallTables::KeptAnswers.new(@connection)
        @collectors = SmallTables::CollectorCheckpoints.new(@connection)
        @audit = SmallTables::AuditEntries.new(@connection)
      end

      # Writes everything or nothing. With a block, it leaves out rows that can't be written and yields them,
      # unless all windows fail, which is not the fault of a row.
      # @param windows [Array<Window>] deltas of whole minutes (seconds 60), with setting and host
      # @param checkpoints [Hash{String => String, nil}] segment => checkpoint; nil deletes
      # @param processes [Array<Hash>] samples with :at_s, :host, :pid and any facts (scalars); a second one
      #   with the same three replaces the first
      # @param unit_samples [Array<SampleBlock>] samples of single units, merged with the stored ones
      # @param paths [Hash{Series => String}] one path of each; it replaces the one before
      # @param collector_checkpoint [CollectorCheckpoint, nil] how far the collector is after this commit
      # @param audit [Array<AuditEntry>] entries of the audit log; one whose source is known is left out
      # @param lengths [Array<Integer>] see WindowBatch; longer windows only come from another store
      # @param expected [Hash{String => String, nil}] segment => checkpoint that must still be stored so
      # @yieldparam row [Window, Hash, SampleBlock, Array(Series, String)] that can't be written
      # @yieldreturn [SkippedRow] to write instead
      # @raise [ArgumentError] for windows of another length
      # @raise [StoreError] and then nothing was written; Overtaken when `expected` is not so
      def commit(windows, checkpoints, processes: [], unit_samples: [], paths: {}, skipped: [],
        collector_checkpoint: nil, audit: [], lengths: [Tier::FINEST], expected: {}, &bad_row)
        batch = WindowBatch.new(windows, lengths:) unless bad_row
        owners = expected.keys.map { |segment| lock(segment[/\A\S+/]) }
        rows = [*windows, *unit_samples, *skipped, collector_checkpoint].compact
        whole([*locks(rows, processes), *owners]) do
          check(expected)
          @checkpoints.save(checkpoints)
          @skipped.add(skipped)
          @collectors.save(collector_checkpoint) if collector_checkpoint
          @audit.add(audit)
          if bad_row
            add_each(windows, processes, unit_samples, paths, lengths:, &bad_row)
          else
            add(batch, processes, unit_samples, paths)
          end
        end
      end

      # One state of the store for all that the block reads, with fewer queries. An error of the database
      # leaves the block as it is, and this method as a StoreError. Where a server ended the read for a reason
      # that passes, the block runs again: it only computes its value.
      # @return [Object] the block's value
      def snapshot
        @connection.read { yield }
      end

      # Whether it shows a part of its data only, see Queries::Origin.
      def part? = false

      # Of the last 14 days, the latest first.
      def skipped_rows = @skipped.to_a

      # One for each host and folder, the latest first.
      def collector_checkpoints = @collectors.to_a

      # @param to_s [Integer] first second after the span
      # @param events [Array<Symbol>, nil] some of AuditEntry::EVENTS; nil: all, most of which are turns
      # @return [Array<AuditEntry>] by time
      def audit_entries(from_s, to_s, events: nil) = @audit.between(from_s, to_s, events)

      # @return [Hash{Series => String}] the last path of each series that has one
      def paths = @paths.to_h

      # @param host [String, nil] first word of the wanted names, and only when no commit for it is
      #   unfinished: a killed collector's may still arrive. To call before a commit
      # @return [Hash{String => String}] segment => checkpoint, binary
      def checkpoints(host: nil)
        return @checkpoints.to_h unless host
        @connection.write(locks: [lock(host)]) { @checkpoints.to_h("#{host} ") }
      end

      # @overload windows(from_s, to_s, seconds: nil, hosts: nil, histograms: Window::HISTOGRAMS, **filter)
      #   @param to_s [Integer] first second after the span
      #   @param seconds [Integer, nil] longest window wanted, for charts
      #   @param hosts [Array<String>, nil] nil for all
      #   @param histograms [Array<Symbol>] to read; the others are a Histogram::CountAndSum
      #   @param filter [Hash] kinds: Array<Symbol> or nil for all; names, queues: globs (String,
      #     Array<String> or nil); only: responds to series?, a further condition, or nil
      #   @return [Enumerator<Window>] each second once, from the coarsest windows that fit, in one consistent
      #     state. Iterate it to the end
      #   @raise [StoreError] when iterated
      def windows(...) = @spans.windows(...)

      # Adds up the windows. Other options as for `windows`.
      # @overload sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil,
      #     by_host: false, histograms: Window::HISTOGRAMS, heads: [], **others)
      #   @param step_s [Integer, nil] windows that start in different steps stay apart; nil: all are added up
      #   @param seconds [Integer, nil] longest window wanted, at most a step
      #   @param settings [Array<Setting>, nil] nil for all
      #   @param together [Series, nil] series that names the sum of all series; nil: each stays apart
      #   @param by_host [Boolean] whether hosts stay apart
      #   @param histograms [Array<Symbol>] to read
      #   @param heads [Array<Symbol>] histograms that are a Histogram::CountAndSum; all others are empty
      #   @return [Array<SpanSum>] one for each step, series and setting, and perhaps host
      def sums(...) = @spans.sums(...)

      # @return [Array<(Integer, Setting)>] start of the first window of each setting in each step, see sums
      def setting_starts(...) = @spans.setting_starts(...)

      # One for each window, see windows.
      def stalls(...) = @spans.stalls(...)

      # Added up over hosts, and over the windows of each step. Other options as for `windows`.
      # @return [Array<WindowStall>] one for each step, series and setting, without a host
      def stall_sums(from_s, to_s, step_s:, **filter)
        WindowStall.of_steps(sums(from_s, to_s, step_s:, histograms: [:stalled], **filter), step_s)
      end

      # @return [Integer] length in seconds of the shortest windows kept from that second on
      def finest_s(from_s)
        Tier.finest_s(@rows.tiers, from_s)
      end

      # @param every_s [Integer, nil] reads only the last sample of each process in each step of so many
      #   seconds, because there are 1,440 a day and process
      # @return [Array<Hash>] samples of processes, by time
      def processes(from_s, to_s, every_s: nil)
        @samples.between(from_s, to_s, every_s:)
      end

      # @param most [Integer] reads at most so many of each ten minutes, host and setting: of what it keeps of
      #   them, each is as likely
      # @return [Enumerator<UnitSample>] sampled units (see UnitSample#weight) that started in the span, by
      #   time, in one consistent state
      # @raise [StoreError] when iterated
      def unit_samples(from_s, to_s, setting: nil, most: SampleBlock::MOST)
        @unit_samples.between(from_s, to_s, setting, most)
      end

      # @param starts [Array<Integer>] of ten-minute blocks
      # @return [Hash{Integer => Array<SampleBlock::UnitSpans>}] by start, of the blocks that have single
      #   units; in any order, one or more of each setting and host
      def unit_spans(starts) = @unit_samples.spans(starts)

      # @return [Array<Integer>] starts of the ten-minute blocks in the span that have single units, ascending
      def unit_sample_starts(from_s, to_s)
        @unit_samples.starts(from_s, to_s)
      end

      # @return [Array<Tier>] finest first
      def tiers = @rows.tiers

      # Says of windows that were taken from another store how long they were kept there. To call before, and
      # after a roll-up.
      # @param starts [Hash{Integer => Integer}] length of windows => second before which there are none
      # @raise [StoreError::RollingUp] when longer windows are not filled so far
      def kept_from(starts)
        @connection.upkeep do
          @rows.transaction do
            changed = Tier.kept_from(@rows.tiers, starts)
            changed&.each { |tier| @rows.save_tier(tier) }
          end
        end || raise(StoreError::RollingUp.new(location: @connection.dialect.location))
        nil
      end

      # Every setting ever seen, oldest first.
      def settings = @codec.settings.load.sort.map(&:last)

      # @return [Array<String>] every host ever seen, by name
      def hosts = @codec.hosts.load.values.sort

      # @param outcome [PredictionOutcome] replaces the one with the same key
      # @raise [StoreError] and then nothing was written
      def keep(outcome)
        whole(["outcomes"]) { @outcomes.keep(outcome) }
      end

      # Of the last 400 days, oldest first.
      def outcomes = @outcomes.to_a

      # @param answer [KeptAnswer] replaces the one to the same question
      # @raise [StoreError] and then nothing was written
      def keep_answer(answer)
        whole(["answers"]) { @answers.keep(answer) }
      end

      # @return [KeptAnswer, nil]
      def answer(question) = @answers.find(question)

      # @return [Integer, nil] the time by the clock of its server; nil: a file has none
      def clock_s
        @connection.use { |db| @connection.dialect.clock_s(db) }
      end

      # Fills the coarser windows; for a call about once a minute.
      # @return [Integer] spans written; 0 while another collector does this or prunes
      def rollup(now_s)
        @connection.upkeep { Tier::Rollup.new(@rows).run(now_s) } || 0
      end

      # Deletes windows that are too old, then those above the size limit; for a call after rollup.
      # @param max_bytes [Numeric, nil] nil: what suits the database
      # @return [Integer] windows deleted; 0 while another collector does this or rolls up
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

      # Migrates to the newest schema; opening a store in a file to write does it too.
      def migrate!
        @connection.migrate
        nil
      end

      # @return [Array<Integer>] starts of the first and the last window, empty without any
      def extent = @rows.extent

      # @return [Hash{Symbol => Object}] location, schema, bytes, read_only, series, oldest_s, newest_s
      # @raise [StoreError] that a write or read would raise
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
        @outcomes.delete_before(now_s - Tier::LONGEST_S)
        @answers.delete_before(now_s - KeptAnswer::KEEP_S)
        @skipped.prune(now_s)
        @audit.delete_before(now_s - AuditEntry::KEEP_S)
        @checkpoints.prune(CheckpointNames.silent(@collectors.to_a, now_s), now_s)
        @collectors.prune(now_s)
      end

      def add(batch, processes, unit_samples, paths)
        @rows.merge(batch.rows(@rows.tiers))
        @samples.add(processes)
        @unit_samples.merge(unit_samples)
        @paths.save(paths)
      end

      def add_each(windows, processes, unit_samples, paths, lengths:, &bad_row)
        tiers = @rows.tiers
        faults = each_alone(windows) { |window| @rows.merge(WindowBatch.new([window], lengths:).rows(tiers)) }
        raise faults.first.last if faults.any? && faults.size == windows.size
        faults += each_alone(processes) { |sample| @samples.add([sample]) }
        faults += each_alone(unit_samples) { |block| @unit_samples.merge([block]) }
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
