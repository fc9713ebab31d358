# frozen_string_literal: true

module Holdup
  class Collector
    # One tick of the leading collector: reads all segments, writes windows and checkpoints in one
    # transaction, then removes finished segments. Dying in between loses nothing and counts nothing twice:
    #
    # - before the commit: the next collector reads the same again from the same checkpoints
    # - before the removal: the checkpoint marks the segment as finished, so only the removal is repeated
    # - after the removal: the next commit drops the checkpoint of a finished segment without a file
    #
    # The checkpoint of one that is not finished stays, because others have removed its file and its process
    # makes it again.
    class Round
      # Result of a tick. `units`: how many were stored; `live`: headers of the segments that still grow
      CollectedRound = Data.define(:units, :live)

      # @param store [#commit, #checkpoints]
      # @param directory [#path, #entries, #audit_files, #take_over] Segment::Directory, or
      #   a spooled copy of one
      # @param lost [LostProcesses, nil] finds those whose collectors fell silent; nil: not looked for
      def initialize(store:, directory:, host:, warnings:, sampler: ProcessSampler.new,
        unit_sampler: UnitSampler.new, arrival_counter: ArrivalCounter.new, lost: nil,
        autopsies: Autopsies.new(store:, host:))
        @store = store
        @directory = directory
        @host = host
        @warnings = warnings
        @skipped = SkippedRows.new(host:, warnings:)
        @sampler = sampler
        @unit_sampler = unit_sampler
        @arrival_counter = arrival_counter
        @audit = AuditReader.new(store:, host:)
        @autopsies = autopsies
        @last_round = LastRound.new(host:)
        @recent = RecentRounds.new(host:)
        @lost = lost
        @returned = ReturnedProcesses.new(store:)
        @settings = {}
        @claimed = Set.new
      end

      # @param steady [Boolean] whether the clock was not set lately, so that the age of a heartbeat counts
      # @param last [Boolean] whether the collector ends by itself after it: processes that go on are not lost
      # @raise [StoreError, DamagedData, SystemCallError] before anything is written or removed
      def run(now_ns, steady: true, last: false)
        @skipped.start(now_ns)
        @autopsies.start(now_ns, path: @directory.path)
        @last_round.start(now_ns, last:)
        checkpoints
        entries = @directory.entries
        builder = SegmentDelta::WindowBuilder.new
        read = {}
        delta = segment_delta(builder, now_ns, steady)
        latest = read_entries(entries, delta, read)
        snapshots = snapshots(read, latest, delta.silent)
        units = commit(builder:, latest:, present: entries.map(&:name), snapshots:, now_ns:)
        sweep(entries, delta.silent)
        @claimed &= entries.map(&:name)
        @audit.sweep(@directory.audit_files, now_ns)
        CollectedRound.new(units:, live: snapshots.select(&:growing?).map(&:header))
      end

      # The stored checkpoints, which are read again after `forget`.
      def checkpoints
        @identity ||= @directory.take_over
        @checkpoints ||= Checkpoints.new(@store, @identity)
      end

      # It is unknown after a failure what the store has, so it is read again.
      def forget
        @checkpoints = nil
        @claimed.clear
        @unit_sampler.forget
        @arrival_counter.forget
        @returned.forget
        @recent.forget
      end

      # Begins as the leader of the folder, which may be another one than before at the same path.
      def lead
        @identity = nil
        @audit.forget
        forget
      end

      # @return [Segment::Directory::FolderIdentity, nil] nil before the first round
      attr_reader :identity

      private

      def segment_delta(builder, now_ns, steady)
        SegmentDelta.new(builder:, now_ns:, settings: @settings, unit_sampler: @unit_sampler,
          arrival_counter: @arrival_counter, skipped: @skipped, autopsies: @autopsies,
          last_round: @last_round, steady:)
      end

      # @param read [Hash{Segment::DirectoryEntry => Array(Segment::Header, Setting)}] to fill
      def read_entries(entries, delta, read)
        entries.each_with_object({}) do |entry, latest|
          checkpoint = read_entry(entry, delta, read) if claimed?(entry)
          latest[entry.name] = checkpoint if checkpoint
        end
      end

      def snapshots(read, latest, silent)
        read.map do |entry, (header, setting)|
          ended = silent.include?(entry.name) || !!latest[entry.name]&.finished
          ProcessSnapshot.new(header:, setting:, entry:, ended:)
        end
      end

      # An unreadable file does not stop the others.
      def read_entry(entry, delta, read)
        unknown = @checkpoints.damage(entry.name)
        checkpoint = delta.call(entry, @checkpoints[entry.name], anew: !!unknown) do |header, setting|
          read[entry] = [header, setting]
        end
        @skipped.add_lasting(:checkpoint, entry.name, unknown, file: entry.name) if unknown && checkpoint
        checkpoint
      rescue Errno::ENOENT
        nil
      rescue => error
        skip_entry(entry, error) unless unfinished?(entry)
        nil
      end

      # A segment notes, before anything of it is counted, which folder's checkpoints have it.
      # @return [Boolean] false when it must not be read now
      def claimed?(entry)
        return true if entry.lost? || @claimed.include?(entry.name)
        folders = entry.folders
        before = @checkpoints.adopt(entry.name, folders)
        named = folders.first == @identity.id || entry.claim(@identity.id, before:)
        @claimed << entry.name if named
        named
      rescue Errno::ENOENT
        false
      rescue SystemCallError, EOFError # it can't be noted, or is no segment, as its reader says
        true
      end

      # Thousands of short processes may have lost their memory.
      def skip_entry(entry, error)
        if entry.lost?
          @warnings.seldom(:lost_segment, error.message)
        else
          @warnings.once([:segment, entry.name], error.message)
        end
        @skipped.add_lasting(:segment, entry.name, error, file: entry.name)
      end

      def samples(snapshots, now_ns)
        @sampler.samples(snapshots, @host, now_ns) do |pid, error|
          @skipped.add(:sample, "process #{pid}", error)
        end
      end

      # A process that has just made its file has not filled it yet.
      def unfinished?(entry)
        entry.alive && File.size(entry.path) < Segment::Layout::HEADER_BYTES
      rescue SystemCallError
        true
      end

      # @return [Integer] how many units were stored
      def commit(builder:, latest:, present:, snapshots:, now_ns:)
        windows = builder.windows(@host)
        samples = samples(snapshots, now_ns)
        recent = @skipped.guard(:window, "recent figures") { @recent.call(windows, snapshots, now_ns) }
        known = present | @checkpoints.left_behind(present, now_ns)
        changes = @checkpoints.changes(latest, known)
        unit_samples = @skipped.guard(:unit_samples, "all") { @unit_sampler.blocks(@host) } || []
        arrivals = @skipped.guard(:arrivals, "all") { @arrival_counter.blocks(@host) } || []
        units = @checkpoints.units(latest, present)
        folder = CollectorCheckpoint.folder(@directory.path, @identity.id)
        last_round = @last_round.to_a(@identity.id)
        collector_checkpoint = CollectorCheckpoint.new(host: @host, folder:, at_ns: now_ns, units:,
          last_round:)
        audit = @audit.unread(@directory.audit_files, @identity.id, now_ns)
        slowest = builder.slowest(@host)
        died = @autopsies.to_a(@identity.id, now_ns)
        deaths = died + (@lost&.to_a(collector_checkpoint.key, now_ns) || [])
        returned = @returned.to_a(@identity.id, now_ns)
        rows = {processes: samples, unit_samples:, slowest:, arrivals:, paths: builder.paths, audit:, deaths:,
                returned:}
        left_out = write(windows, changes, collector_checkpoint, recent:, **rows)
        @skipped.committed(left_out, present)
        @checkpoints.committed(latest, known)
        @unit_sampler.committed
        @arrival_counter.committed
        @audit.committed
        @autopsies.committed(died)
        @last_round.committed
        @recent.committed
        @sampler.committed(samples)
        @warnings.forget_if { |subject| subject in [:segment, name] and !present.include?(name) }
        windows.sum { |window| window.series.unit? ? window.count : 0 }
      end

      # Finds a row that can't be written by writing each by itself.
      # @return [Array<SkippedRow>] rows that the store rejected
      def write(windows, changes, collector_checkpoint, recent:, **rows)
        return [] if !@last_round.news? && [windows, changes, *rows.values, @skipped.rows].all?(&:empty?)
        @checkpoints.committing do |token, expected|
          rows = {skipped: @skipped.rows, collector_checkpoint:, expected:, recent:, **rows}
          write_or_leave_out(windows, {**changes, **token}, **rows)
        end
      end

      def write_or_leave_out(windows, checkpoints, **rows)
        @store.commit(windows, checkpoints, **rows)
        []
      rescue => error
        raise unless row_fault?(error)
        # A database that ended the transaction has the store name its rows again. The ring of the last hour
        # may have a gap.
        left_out = {}
        rows = {**rows, recent: nil}
        @store.commit(windows, checkpoints, **rows) { |row, fault| left_out[row] = left_out(row, fault) }
        left_out.values
      end

      def row_fault?(error)
        error.is_a?(StoreError::BadRow) || [StoreError, SystemCallError].none? { |kind| kind === error }
      end

      def left_out(row, error)
        case row
        when Window then @skipped.row(:window, row.series.name, error)
        when SlowestBlock then @skipped.row(:slowest, row.series.name, error)
        when SampleBlock then @skipped.row(:unit_samples, "unit samples", error)
        when ArrivalBlock then @skipped.row(:arrivals, "arrivals", error)
        when Hash then @skipped.row(:sample, "process #{row[:pid]}", error)
        else @skipped.row(:path, row.first.name, error)
        end
      end

      # @param silent [Array<String>] names
      def sweep(entries, silent)
        done = entries.select do |entry|
          @checkpoints[entry.name]&.finished || entry.lost? || silent.include?(entry.name)
        end
        done.each do |entry|
          File.unlink(entry.path)
        rescue Errno::ENOENT
          nil
        rescue SystemCallError => error
          @warnings.once([:segment, entry.name],
            "#{entry.path} is carried but can't be removed: #{error.message}")
        end
      end
    end

    # Reads the audit log that processes leave in the folder. An entry's source is its place there, and a
    # store keeps one of each source: so all may be written again after a failure, or by the next collector.
    class Round::AuditReader
      # One round reads at most so many bytes of each file.
      MOST_BYTES = 1 << 20
      # A file stays for so long after its day.
      KEEP_S = 86_400

      def initialize(store:, host:)
        @store = store
        @host = host
        forget
      end

      # Another collector may have read on, or the folder is another one.
      def forget
        @read = {}
        @unstored = {}
        @known = nil
      end

      # @param paths [Array<String>] of the files
      # @param id [String] of the folder
      # @return [Array<AuditEntry>] entries that the store may not have
      # @raise [StoreError]
      def unread(paths, id, now_ns)
        @unstored = {}
        found = paths.flat_map { |path| entries(path, id) }
        return found if found.empty?
        found.reject { |entry| known(now_ns).include?(entry.source) }
      end

      # The caller does this after the commit.
      def committed
        @read = @read.merge(@unstored)
        @unstored = {}
      end

      # Removes files of earlier days that are stored.
      def sweep(paths, now_ns)
        latest = AuditEntry::AuditFiles.name(AuditEntry::AuditFiles.day(now_ns / NS - KEEP_S))
        old = paths.select { |path| File.basename(path) < latest && File.size?(path) == @read[path] }
        old.each { |path| File.unlink(path) }
      rescue SystemCallError
        nil # the next round tries again
      end

      private

      # What the collector before this one has stored, so that little is written twice.
      def known(now_ns)
        @known ||= begin
          from_s = now_ns / NS - 3 * KEEP_S
          @store.audit_entries(from_s, now_ns / NS + KEEP_S).to_set(&:source)
        end
      end

      def entries(path, id)
        offset = @read.fetch(path, 0)
        text = File.open(path, File::RDONLY | File::NOFOLLOW) { |file|
          (file.size > offset) ? file.pread([file.size - offset, MOST_BYTES].min, offset) : ""
        }
        whole = text[0, text.rindex("\n")&.succ || 0]
        @unstored[path] = offset + whole.bytesize
        whole.lines.filter_map do |line|
          source = "#{id}/#{File.basename(path)}:#{offset}"
          offset += line.bytesize
          AuditEntry.parse(line, source:, host: @host)
        end
      rescue SystemCallError
        []
      end
    end
  end
end
