# frozen_string_literal: true

module Holdup
  class Collector
    # One tick after the other, for the collector that leads: read all segments, write windows and positions
    # in one transaction, and only then remove what is finished. Dying anywhere in between loses and doubles
    # nothing:
    #
    # - before the commit: the next collector reads the same again from the same positions
    # - after it, before the removal: the position says that the segment is finished, so only the removal is
    #   repeated
    # - after the removal: a position without a file is dropped at the next commit
    class Round
      # What became of a tick. `windows`: how many were written; `live`: headers of the segments that still
      # grow
      Result = Data.define(:windows, :live)

      # @param store [#commit, #progress]
      # @param directory [Segment::Directory]
      # @param host [String]
      # @param warnings [RateLimitedLog]
      # @param sampler [ProcessSampler]
      # @param profiles [UnitSampler]
      def initialize(store:, directory:, host:, warnings:, sampler: ProcessSampler.new,
        profiles: UnitSampler.new)
        @store = store
        @directory = directory
        @host = host
        @warnings = warnings
        @skipped = SkippedRows.new(host:, warnings:)
        @sampler = sampler
        @profiles = profiles
        @settings = {}
      end

      # @param now_ns [Integer] seconds since 1970, in nanoseconds
      # @return [Result]
      # @raise [StoreError, DamagedData, SystemCallError] and then nothing was written or removed
      def run(now_ns)
        @skipped.start(now_ns)
        @ledger ||= Checkpoints.new(@store, @host, @directory.path)
        entries = @directory.entries
        builder = WindowBuilder.new
        found = {}
        readings = read(entries, SegmentDelta.new(builder, now_ns, @settings, @profiles, @skipped), found)
        snapshots = snapshots(found, readings)
        written = commit(builder, readings, entries.map(&:name), samples(snapshots, now_ns), now_ns)
        sweep(entries)
        Result.new(windows: written, live: snapshots.select(&:growing?).map(&:header))
      end

      # After a failure nobody knows what the store has: it is asked again.
      # @return [void]
      def forget
        @ledger = nil
        @profiles.forget
      end

      private

      def read(entries, delta, found)
        entries.each_with_object({}) do |entry, readings|
          position = read_entry(entry, delta, found)
          readings[entry.name] = position if position
        end
      end

      def snapshots(found, readings)
        found.map { |entry, (header, setting)|
          ProcessSnapshot.new(header:, setting:, entry:, ended: !!readings[entry.name]&.finished)
        }
      end

      # A file that can't be read is nobody's loss but its own.
      def read_entry(entry, delta, found)
        unknown = @ledger.damage(entry.name)
        position = delta.call(entry, @ledger[entry.name], anew: !!unknown) { |header, setting|
          found[entry] = [header, setting]
        }
        @skipped.add_lasting(:position, entry.name, unknown, file: entry.name) if unknown && position
        position
      rescue Errno::ENOENT
        nil
      rescue => error
        unread(entry, error) unless unfinished?(entry)
        nil
      end

      def unread(entry, error)
        @warnings.once([:segment, entry.name], error.message)
        @skipped.add_lasting(:segment, entry.name, error, file: entry.name)
      end

      def samples(snapshots, now_ns)
        @sampler.samples(snapshots, @host, now_ns) { |pid, error|
          @skipped.add(:sample, "process #{pid}", error)
        }
      end

      # A process that has just made its file has not filled it yet.
      def unfinished?(entry)
        entry.alive && File.size(entry.path) < Segment::Layout::HEADER_BYTES
      rescue SystemCallError
        true
      end

      def commit(builder, readings, present, samples, now_ns)
        windows = builder.windows(@host)
        progress = @ledger.changes(readings, present)
        profiles = @skipped.guard(:profiles, "all") { @profiles.blocks(@host) } || []
        state = CollectionState.new(host: @host, folder: @ledger.folder, at_ns: now_ns,
          units: @ledger.units(readings, present))
        left_out = write(windows, progress, state, processes: samples, profiles:, paths: builder.paths)
        @skipped.committed(left_out, present)
        @ledger.committed(readings, present)
        @profiles.committed
        @sampler.committed(samples)
        @warnings.forget_if { |subject| subject in [:segment, name] and !present.include?(name) }
        windows.size
      end

      # A row that can't be written is found by writing each by itself.
      # @return [Array<SkippedRow>] what the store did not take
      def write(windows, progress, state, **rows)
        return [] if [windows, progress, *rows.values, @skipped.rows].all?(&:empty?)
        @store.commit(windows, progress, **rows, skipped: @skipped.rows, state:)
        []
      rescue => error
        raise unless row_fault?(error)
        left_out = []
        @store.commit(windows, progress, **rows, skipped: @skipped.rows, state:) { |row, fault|
          (left_out << left_out(row, fault)).last
        }
        left_out
      end

      def row_fault?(error)
        error.is_a?(StoreError::BadRow) || [StoreError, SystemCallError].none? { |kind| kind === error }
      end

      def left_out(row, error)
        case row
        when Window then @skipped.row(:window, row.series.name, error)
        when SampleBlock then @skipped.row(:profiles, "unit profiles", error)
        when Hash then @skipped.row(:sample, "process #{row[:pid]}", error)
        else @skipped.row(:path, row.first.name, error)
        end
      end

      def sweep(entries)
        entries.select { |entry| @ledger[entry.name]&.finished || entry.lost? }.each do |entry|
          File.unlink(entry.path)
        rescue Errno::ENOENT
          nil
        rescue SystemCallError => error
          @warnings.once([:segment, entry.name],
            "#{entry.path} is carried but can't be removed: #{error.message}")
        end
      end
    end
  end
end
