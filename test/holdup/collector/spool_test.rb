# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class SpoolTest < Minitest::Test
    include TemporaryFolder

    NS = 1_000_000_000
    # Above what Linux gives out.
    DEAD_PID = 4_194_997

    def setup
      super
      @store = Holdup::Store.open("memory:")
      @log = CollectedLog.new
      @now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      @segments = File.join(folder, "segments")
      @path = File.join(folder, "spool")
    end

    def test_delivers_what_a_collector_could_not_store
      writer = killed_writer
      3.times { writer.record("A#b", wall: 5_000) }
      keep
      lose_segments
      assert_equal 0, counted
      deliver
      assert_equal [3, 3, ["pod-1"]], [counted, wall_values, hosts]
      assert_empty copies
      assert_match(/delivered from the spool: 3, which a collector of pod-1 kept/, @log.lines.last)
    end

    # As Rails sets it, for a collector that is a thread of the application.
    def test_in_an_application_that_converts_what_it_reads_and_writes
      killed_writer.record("A#注文", wall: 5_000)
      converting do
        keep
        lose_segments
        deliver
      end
      assert_equal [1, 1], [counted, wall_values]
    end

    def test_delivers_only_what_came_after_the_last_commit
      writer = killed_writer
      3.times { writer.record("A#b", wall: 5_000) }
      run_round
      2.times { writer.record("A#b", wall: 9_000) }
      keep
      lose_segments
      deliver
      assert_equal [5, 5], [counted, wall_values]
    end

    def test_delivers_the_audit_log_too
      killed_writer.record("A#b", wall: 5_000)
      change = Holdup::AuditEntry.new(at_s: @now_ns / NS, event: :turn, plan_id: "x", lever: "threads",
        from: 5, to: 3, who: :experiment)
      Holdup::AuditEntry::AuditFiles.new(@segments).append(change)
      assert_equal 1, keep.segments
      lose_segments
      2.times { deliver }
      assert_equal [["pod-1", 3]], @store.audit_entries(0, 1 << 40).map { |one| [one.host, one.to] }
    end

    # The store took the commit, but its answer was lost.
    def test_counts_a_commit_once_that_arrived_though_it_failed
      writer = killed_writer
      writer.record("A#b", wall: 5_000)
      round = new_round(store: Deaf.new(@store))
      assert_raises(Holdup::StoreError::Unreachable) { round.run(@now_ns, steady: false) }
      writer.record("A#b", wall: 5_000)
      keep(round)
      lose_segments
      deliver
      assert_equal 2, counted
    end

    def test_delivers_nothing_twice_after_a_kill_between_commit_and_removal
      killed_writer.record("A#b", wall: 5_000)
      path = keep.path
      bytes = File.binread(path)
      lose_segments
      2.times do
        deliver
        File.binwrite(path, bytes)
      end
      deliver
      assert_equal 1, counted
    end

    # The pod lived on; the next collector carries what the copy has, and removes the finished segment.
    def test_leaves_out_a_copy_whose_segments_a_later_collector_has_carried
      writer = killed_writer
      writer.record("A#b", wall: 5_000)
      keep
      round = new_round
      2.times { |time| round.run(@now_ns + time * NS) }
      refute_path_exists writer.path
      deliver
      assert_equal 1, counted
      assert_empty copies
    end

    # Another pod of the same disk delivers the copy, while the process still writes.
    def test_a_segment_that_lives_on_is_carried_further
      writer = SegmentWriter.new(@segments)
      writer.record("A#b", wall: 5_000)
      keep
      later = new_round
      later.checkpoints
      deliver
      writer.record("A#b", wall: 5_000)
      assert_raises(Holdup::StoreError::Locked) { later.run(@now_ns + NS) }
      later.forget
      later.run(@now_ns + NS)
      assert_equal 2, counted
      assert_path_exists writer.path
    end

    def test_two_copies_of_a_folder_count_once
      writer = killed_writer
      writer.record("A#b", wall: 5_000)
      first = keep.path
      bytes = File.binread(first)
      writer.record("A#b", wall: 5_000)
      keep(new_round, now_ns: @now_ns + NS)
      File.binwrite(first, bytes)
      lose_segments
      deliver
      assert_equal 2, counted
    end

    def test_a_later_copy_of_the_same_segments_replaces_the_earlier
      writer = killed_writer
      writer.record("A#b", wall: 5_000)
      earlier = keep.path
      SegmentWriter.new(@segments, pid: DEAD_PID - 1, start: 1).record("A#b", wall: 5_000)
      later = keep(new_round, now_ns: @now_ns + NS).path
      assert_equal [File.basename(later)], copies
      File.unlink(writer.path)
      keep(new_round, now_ns: @now_ns + 2 * NS)
      assert_equal [false, true], [earlier, later].map { |path| File.exist?(path) }
    end

    def test_keeps_a_unit_that_was_being_written_at_the_kill
      writer = killed_writer
      writer.record("A#b", wall: 5_000)
      assert_raises(SegmentWriter::Died) { writer.record("A#b", wall: 5_000, die_after: 5) }
      keep
      lose_segments
      deliver
      assert_equal [2, 2], [counted, wall_values]
    end

    def test_waits_for_the_store
      killed_writer.record("A#b", wall: 5_000)
      keep
      lose_segments
      spool = new_spool
      assert spool.deliver(FailingStore.new(@store)), "there may be more"
      refute spool.deliver(FailingStore.new(@store))
      assert_match(/can't be delivered now: the store x is locked.*; it is kept/, @log.lines.last)
      assert_match(/the store x is locked/, spool.problem)
      assert_equal 1, copies.size
      spool.deliver(@store)
      assert_equal 1, counted
      assert_nil spool.problem
    end

    def test_a_copy_that_can_not_be_delivered_does_not_stop_the_next
      killed_writer.record("A#b", wall: 5_000)
      keep
      blocked = copies.first
      keep_another(now_ns: @now_ns + NS)
      id = blocked[/\A\d+-(\h+)/, 1]
      spool = new_spool
      2.times { spool.deliver(RefusingStore.new(@store, id)) }
      assert_equal [[blocked], 1], [copies, counted]
    end

    def test_sets_aside_what_is_damaged_or_of_something_else
      killed_writer.record("A#b", wall: 5_000)
      path = keep.path
      bytes = File.binread(path)
      lose_segments
      changed = bytes.dup
      changed.setbyte(-6, changed.getbyte(-6) ^ 1)
      [bytes[0, bytes.size / 2], changed, "hello", ""].each_with_index do |text, index|
        File.binwrite(path.sub(/\d{20}/, format("%020d", index)), text)
      end
      File.binwrite(File.join(@path, "mine.spool"), bytes)
      deliver
      assert_equal 1, counted
      assert_empty copies
      aside = Dir.children(@path).select { |name| name.end_with?(".damaged") }
      assert_equal 5, aside.size
      assert_equal 5, @log.lines.grep(/is not what Holdup has spooled.*it is renamed/).size
    end

    def test_drops_the_oldest_above_its_limit_and_says_so
      killed_writer.record("A#b", wall: 5_000)
      bytes = keep.bytes
      spool = new_spool(max_bytes: 2 * bytes + bytes / 2)
      [1, 2, 3].each { |later_s| keep_another(now_ns: @now_ns + later_s * NS, spool:) }
      assert_equal [2, 3].map { |later_s| format("%020d", @now_ns + later_s * NS) },
        copies.map { |name| name[0, 20] }
      assert_equal 2, @log.lines.grep(/spool_mib\): dropped 0\d+-.*so what it measured is lost/).size
    end

    def test_a_copy_above_the_limit_pushes_out_no_other
      killed_writer.record("A#b", wall: 5_000)
      keep
      kept = copies
      error = assert_raises(Errno::ENOSPC) { keep(new_round, spool: new_spool(max_bytes: 10)) }
      assert_match(/config.spool_mib/, error.message)
      assert_equal kept, copies
    end

    def test_one_collector_delivers_at_a_time
      killed_writer.record("A#b", wall: 5_000)
      keep
      File.open(File.join(@path, "deliver.lock"), File::RDWR | File::CREAT) do |lock|
        lock.flock(File::LOCK_EX)
        deliver
        assert_equal 0, counted
      end
      deliver
      assert_equal 1, counted
    end

    def test_removes_what_killed_collectors_left
      killed_writer.record("A#b", wall: 5_000)
      keep
      old, fresh = %w[1 2].map { |name| File.join(@path, "#{name}.spool.new") }
      [old, fresh].each { |path| File.write(path, "x") }
      File.utime(Time.now - 7200, Time.now - 7200, old)
      FileUtils.mkdir_p(File.join(@path, ".delivering-1", "x"))
      deliver
      assert_equal ["2.spool.new", "deliver.lock"], Dir.children(@path).sort
    end

    def test_only_this_user_may_read_it
      killed_writer.record("A#b", wall: 5_000)
      path = keep.path
      assert_equal [0o600, 0o700], [path, @path].map { |one| File.stat(one).mode & 0o777 }
    end

    def test_keeps_nothing_without_segments
      FileUtils.mkdir_p(@segments)
      assert_nil keep
      refute_path_exists @path
      refute new_spool.deliver(@store)
    end

    # Takes commits and does not say so.
    Deaf = Struct.new(:store) do
      def checkpoints(**) = store.checkpoints(**)

      def deaths(...) = store.deaths(...)

      def commit(*, **)
        store.commit(*, **)
        raise Holdup::StoreError::Unreachable.new(location: "x", reason: "end of file reached")
      end
    end

    # Can't read the checkpoints of one folder.
    RefusingStore = Struct.new(:store, :id) do
      def checkpoints(host:)
        raise Holdup::StoreError::Locked.new(location: "x", seconds: 1) if host == id
        store.checkpoints(host:)
      end

      def deaths(...) = store.deaths(...)

      def commit(...) = store.commit(...)
    end

    private

    def converting
      verbose, $VERBOSE = $VERBOSE, nil
      before, Encoding.default_internal = Encoding.default_internal, Encoding::UTF_8
      yield
    ensure
      Encoding.default_internal = before
      $VERBOSE = verbose
    end

    def killed_writer
      SegmentWriter.new(@segments, pid: DEAD_PID, start: 5, now_ns: @now_ns - 60 * NS)
    end

    def new_round(store: @store, dir: @segments)
      warnings = RateLimitedLog.new(log: @log, clock: HandClock.new)
      Round.new(store:, directory: Holdup::Segment::Directory.new(dir), host: "pod-1", warnings:)
    end

    def run_round = @round = new_round.tap { |round| round.run(@now_ns, steady: false) }

    def new_spool(max_bytes: 1 << 20)
      Spool.new(@path, max_bytes:, log: @log, clock: HandClock.new)
    end

    # As a collector does that leads and can't reach its store.
    def keep(round = @round || new_round, now_ns: @now_ns, spool: new_spool, dir: @segments)
      directory = Holdup::Segment::Directory.new(dir).tap(&:create)
      identity = round.identity || directory.take_over
      spool.keep(directory, identity:, host: "pod-1", now_ns:)
    end

    # Of another pod.
    def keep_another(now_ns:, spool: new_spool)
      dir = File.join(folder, "pod-#{now_ns}")
      SegmentWriter.new(dir, pid: DEAD_PID, start: 5, now_ns: @now_ns - 60 * NS).record("A#b", wall: 5_000)
      keep(new_round(dir:), now_ns:, spool:, dir:)
    end

    def lose_segments = FileUtils.rm_rf(@segments)

    def deliver
      spool = new_spool
      nil while spool.deliver(@store)
    end

    def copies = Dir.exist?(@path) ? Dir.children(@path).select { |name| name.end_with?(".spool") }.sort : []

    def requests = @store.windows(0, 1 << 40, kinds: [:request]).to_a

    def counted = requests.sum(&:count)

    def wall_values
      requests.sum { |window| window.histograms[:wall].then { |wall| wall.zero + wall.counts.sum } }
    end

    def hosts = requests.map(&:host).uniq
  end
end
