# frozen_string_literal: true

module Holdup
  module Store
    # The store in a SQL database. One writer per host (the collector), any number of readers; one object
    # belongs to one thread and doesn't survive a fork. Nothing is opened before the first call.
    #
    # **What commit means.** Windows are *deltas*: what happened in that minute since the last commit. The
    # store adds each to the row that is there (same minute, series, setting and host) in the same transaction
    # that saves the progress. So a caller that repeats a failed commit must start again from the stored
    # progress; then every unit is counted once. Deltas for a minute that was already rolled up are added to
    # the coarser windows too.
    class Sql
      # @param dialect [Sqlite] where and how
      def initialize(dialect)
        @connection = Connection.new(dialect)
        @codec = WindowCodec.new(@connection)
        @skipped = Tables::SkippedRows.new(@connection)
        @rows = WindowRows.new(@connection, @codec, @skipped)
        @spans = Spans.new(@connection, @rows, @codec)
        @checkpoints = Tables::Checkpoints.new(@connection)
        @paths = Tables::Paths.new(@connection, @codec.series)
        @samples = Tables::ProcessSamples.new(@connection, @codec.hosts)
        @profiles = UnitSamples.new(@connection, @codec, @skipped)
        @outcomes = Tables::PredictionOutcomes.new(@connection)
        @states = Tables::CollectionStates.new(@connection)
      end

      # Writes everything or nothing. With a block, a row that can't be written is left out and given to it,
      # and everything else is written; unless no window can be, which is not the fault of a row.
      # @param windows [Array<Window>] deltas of whole minutes (seconds 60), with setting and host
      # @param progress [Hash{String => String, nil}] segment => where its reader stands; nil deletes
      # @param processes [Array<Hash>] samples with :at_s, :host, :pid and any facts (scalars); a second
      #   sample of the same second, host and pid replaces the first
      # @param profiles [Array<SampleBlock>] samples of single units, merged with those that are there
      # @param paths [Hash{Series => String}] one that each was asked with; it replaces the one before
      # @param skipped [Array<SkippedRow>] what could not be carried
      # @param state [CollectionState, nil] how far the collector has come with this
      # @yieldparam row [Window, Hash, SampleBlock, Array(Series, String)] that can't be written
      # @yieldreturn [SkippedRow] that is written instead
      # @raise [ArgumentError] for windows of another length
      # @raise [StoreError] and then nothing was written
      def commit(windows, progress, processes: [], profiles: [], paths: {}, skipped: [], state: nil, &bad_row)
        batch = WindowBatch.new(windows) unless bad_row
        whole do
          @checkpoints.save(progress)
          @skipped.add(skipped)
          @states.save(state) if state
          if bad_row
            add_each(windows, processes, profiles, paths, &bad_row)
          else
            add(batch, processes, profiles, paths)
          end
        end
      end

      # @return [Array<SkippedRow>] of the last 14 days, the latest first
      def skipped_rows = @skipped.to_a

      # @return [Array<CollectionState>] of each host and folder, the latest first
      def collection_states = @states.to_a

      # @return [Hash{Series => String}] the last path of each series, where there is one
      def paths = @paths.to_h

      # @return [Hash{String => String}] segment => binary, as last committed
      def progress = @checkpoints.to_h

      # @param to_s [Integer] first second after the span
      # @param kinds [Array<Symbol>, nil] nil for all; and names, queues: globs (String, Array<String> or nil)
      # @param seconds [Integer, nil] longest window wanted, for charts
      # @param only [#series?, nil] whether a series is wanted, besides all this
      # @param histograms [Array<Symbol>] that are wanted; the others have only their heads, see
      #   Histogram::CountAndSum
      # @return [Enumerator<Window>] each second once, from the coarsest windows that fit. It reads one
      #   consistent state while it is iterated; don't keep it half read
      # @raise [StoreError] when iterated
      def windows(...) = @spans.windows(...)

      # The same windows added up.
      # @param step_s [Integer, nil] what starts in different steps stays apart; nil: all is one
      # @param seconds [Integer, nil] longest window wanted; as long as a step
      # @param settings [Array<Setting>, nil] that are wanted; nil for all
      # @param together [Series, nil] under which all series are added up; nil: each by itself
      # @param histograms [Array<Symbol>] that are wanted; the others are left empty
      # @param filter [Hash{Symbol => Object}] see windows
      # @return [Array<SpanSum>] one for each step, series and setting
      def sums(...) = @spans.sums(...)

      # @return [Array<(Integer, Setting)>] which setting was seen when: start of its first window in each
      #   step, see sums
      def setting_starts(...) = @spans.setting_starts(...)

      # @return [Enumerator<WindowStall>] one for each window, see windows
      def stalls(...) = @spans.stalls(...)

      # @return [Integer] seconds of the shortest windows that are still kept from that second on
      def finest_s(from_s)
        Tier.finest_s(@rows.tiers, from_s)
      end

      # @param every_s [Integer, nil] only the last sample of each process in each step of so many seconds,
      #   for long spans: there are 1,440 a day and process
      # @return [Array<Hash>] process samples of that span, in time order
      def processes(from_s, to_s, every_s: nil)
        @samples.between(from_s, to_s, every_s:)
      end

      # @param setting [Setting, nil] nil for all
      # @return [Enumerator<UnitSample>] single units that started in that span, in time order: a sample, see
      #   UnitSample#weight. It reads one consistent state, all at once
      # @raise [StoreError] when iterated
      def profiles(from_s, to_s, setting: nil)
        @profiles.between(from_s, to_s, setting)
      end

      # @return [Array<Integer>] starts of the ten minutes of that span of which single units are kept,
      #   ascending
      def profile_starts(from_s, to_s)
        @profiles.starts(from_s, to_s)
      end

      # @return [Array<Setting>] every setting that was ever seen, oldest first
      def settings = @codec.settings.load.sort.map(&:last)

      # @param outcome [PredictionOutcome] what came of a prediction; it replaces the one of the same key
      # @raise [StoreError] and then nothing was written
      def keep(outcome)
        whole { @outcomes.keep(outcome) }
      end

      # @return [Array<PredictionOutcome>] of the last 400 days, oldest first
      def outcomes = @outcomes.to_a

      # Fills the coarser windows. Call it about once a minute.
      # @return [Integer] spans written
      def rollup(now_s) = Rollup.new(@rows).run(now_s)

      # Deletes what is too old, then what is too much. Call it after rollup.
      # @return [Integer] windows deleted
      def prune(now_s, max_bytes:)
        deleted = Pruning.new(@rows).run(now_s, max_bytes:)
        @samples.delete_before([@rows.tiers.first.kept_from_s, now_s - Tier::KEEP_S.fetch(Tier::FINEST)].max)
        @profiles.prune(now_s, max_bytes)
        @outcomes.delete_before(now_s - Tier::LONGEST_S)
        @skipped.prune(now_s)
        @states.prune(now_s)
        @connection.use { |db| @connection.dialect.shrink(db) }
        deleted
      end

      # Brings an older layout to the newest; opening a store to write does it too.
      def migrate!
        @connection.write { nil }
      end

      # @return [Hash{Symbol => Object}] location, schema, bytes, read_only, series, oldest_s, newest_s
      # @raise [StoreError] what a write or read would meet
      def health
        @connection.read do |db|
          oldest_s, newest_s = @rows.extent
          {location: @connection.dialect.location, schema: @connection.schema_version, bytes: @rows.bytes,
           read_only: @connection.dialect.read_only?, series: db[:series].count, oldest_s:, newest_s:}
        end
      end

      def close = @connection.close

      private

      def add(batch, processes, profiles, paths)
        @rows.merge(batch.rows(@rows.tiers))
        @samples.add(processes)
        @profiles.merge(profiles)
        @paths.save(paths)
      end

      def add_each(windows, processes, profiles, paths, &bad_row)
        tiers = @rows.tiers
        faults = each_alone(windows) { |window| @rows.merge(WindowBatch.new([window]).rows(tiers)) }
        raise faults.first.last if faults.any? && faults.size == windows.size
        faults += each_alone(processes) { |sample| @samples.add([sample]) }
        faults += each_alone(profiles) { |block| @profiles.merge([block]) }
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

      # What a failed transaction named has no id any more.
      def whole(&)
        done = false
        @connection.write(&)
        done = true
        nil
      ensure
        @codec.forget unless done
      end
    end
  end
end
