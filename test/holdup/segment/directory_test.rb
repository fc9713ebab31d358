# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/segment/directory"

module Holdup
  module Segment
    class DirectoryTest < Minitest::Test
      include AsNobody

      def setup
        @dir = Dir.mktmpdir("holdup-directory")
      end

      def teardown
        FileUtils.rm_rf(@dir)
      end

      def test_finds_segments_by_name_only
        %w[12-34.segment 12-34-2.segment collector.lock 12.segment x-1.segment 1-2.segment.bak].each do |name|
          File.write(File.join(@dir, name), "")
        end
        assert_equal %w[12-34-2.segment 12-34.segment], Directory.new(@dir).entries.map(&:name)
        assert_equal [[12, 34]], Directory.new(@dir).entries.map { |entry| [entry.pid, entry.start] }.uniq
      end

      def test_has_an_identity_that_stays_and_counts_its_collectors
        directory = Directory.new(@dir)
        assert_nil directory.identity
        first = directory.take_over
        assert_match(/\A\h{16}\z/, first.id)
        assert_equal 1, first.generation
        assert_equal first.with(generation: 2), Directory.new(@dir).take_over
        assert_equal first.with(generation: 2), directory.identity
        assert_equal Encoding::UTF_8, directory.identity.id.encoding
        assert_equal 0o600, File.stat(File.join(@dir, "collector.id")).mode & 0o777
      end

      def test_two_folders_have_different_identities
        other = File.join(@dir, "other")
        Dir.mkdir(other)
        refute_equal Directory.new(@dir).take_over.id, Directory.new(other).take_over.id
      end

      # Of a collector that was killed before it had written it, or of something else.
      def test_a_damaged_identity_is_replaced
        ["", "x" * 100, "0123456789abcdef"].each do |text|
          File.write(File.join(@dir, "collector.id"), text)
          assert_nil Directory.new(@dir).identity
          identity = Directory.new(@dir).take_over
          assert_equal identity, Directory.new(@dir).identity
        end
      end

      def test_ignores_a_file_whose_name_is_not_text
        File.write(File.join(@dir.b, "\xFF.segment".b), "")
        File.write(File.join(@dir, "12-34.segment"), "")
        assert_equal %w[12-34.segment], Directory.new(@dir).entries.map(&:name)
      end

      def test_notes_which_folders_have_carried_a_segment
        SegmentWriter.new(@dir)
        entry = Directory.new(@dir).entries.first
        assert_empty entry.folders
        assert entry.claim("0123456789abcdef")
        assert_equal %w[0123456789abcdef], entry.folders
        assert entry.claim("00000000000000ff", before: "0123456789abcdef")
        assert_equal %w[00000000000000ff 0123456789abcdef], entry.folders
      end

      # Its process may have made another file of it by then.
      def test_claims_nothing_that_loses_its_name
        writer = SegmentWriter.new(@dir)
        entry = Directory.new(@dir).entries.first
        other = File.join(@dir, "other")
        File.rename(writer.path, other)
        File.symlink(other, writer.path)
        assert_raises(Errno::ELOOP) { entry.claim("0123456789abcdef") }
        File.unlink(writer.path)
        assert_raises(Errno::ENOENT) { entry.claim("0123456789abcdef") }
      end

      NS = 1_000_000_000

      # @return [Symbol, nil] what a reader knows of a process that ticked so long ago
      def ended(namespace:, state: Layout::LIVE, age_s: 60, pid: 4_194_999, steady: true)
        writer = SegmentWriter.new(@dir, pid:, start: 7, namespace:)
        writer.put_word(Layout::STATE, state)
        now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) + age_s * NS
        Directory.new(@dir).entries.first.read(now_ns:, steady:, &:ended)
      ensure
        File.unlink(writer.path)
      end

      def test_a_free_lock_proves_that_a_process_of_another_table_is_dead
        assert_equal :dead, ended(namespace: 1, state: Layout::LOCKED)
        assert_equal :dead, ended(namespace: 1, state: Layout::LOCKED, age_s: 6, steady: false)
      end

      # It takes its lock again with its next tick where the application closes its descriptors.
      def test_one_that_has_just_ticked_may_take_its_lock_again
        assert_nil ended(namespace: 1, state: Layout::LOCKED, age_s: 1)
      end

      def test_silence_alone_proves_nothing
        assert_equal :silent, ended(namespace: 1)
        assert_nil ended(namespace: 1, age_s: 14)
        assert_nil ended(namespace: 1, steady: false)
      end

      linux def test_our_process_table_knows_at_once
        assert_equal :dead, ended(namespace: OwnerProcess.new.namespace, age_s: 0)
      end

      def test_a_held_lock_is_a_living_process_whatever_its_heartbeat_says
        writer = SegmentWriter.new(@dir, pid: 4_194_999, start: 7, namespace: 1)
        writer.put_word(Layout::STATE, Layout::LOCKED)
        entry = Directory.new(@dir).entries.first
        now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) + 3600 * NS
        File.open(writer.path) do |file|
          file.flock(File::LOCK_EX)
          assert_nil entry.read(now_ns:, &:ended)
          assert entry.running?(entry.read(&:header), now_ns)
          assert_equal [1, 1], [Directory.new(@dir).running(now_ns).size, Directory.new(@dir).unended.size]
        end
        refute entry.running?(entry.read(&:header), now_ns)
      end

      linux def test_a_pid_that_was_reused_is_not_alive
        start = OwnerProcess.new.start_of(Process.pid)
        %W[#{Process.pid}-#{start}.segment #{Process.pid}-#{start - 1}.segment].each do |name|
          File.write(File.join(@dir, name), "")
        end
        assert_equal({start => true, start - 1 => false},
          Directory.new(@dir).entries.to_h { |entry| [entry.start, entry.alive] })
      end

      linux def test_a_dead_child_is_not_alive_even_before_it_is_reaped
        pid = Process.spawn("true")
        start = OwnerProcess.new.start_of(pid)
        wait_until { !OwnerProcess.new.alive?(pid, start || 1) }
        Process.wait(pid)
        refute OwnerProcess.new.alive?(pid, start || 1)
      end

      def test_without_a_process_table_the_pid_has_to_do
        owner = OwnerProcess.new(proc: "/nowhere")
        assert owner.alive?(Process.pid, 0)
        pid = Process.spawn("true")
        Process.wait(pid)
        refute owner.alive?(pid, 0)
      end

      def test_make_it_private
        path = File.join(@dir, "new")
        2.times { Directory.new(path).create }
        assert_equal 0o700, File.stat(path).mode & 0o777
      end

      # As a collector of root would be in the folder of an application.
      def test_root_may_use_the_folder_of_another_user
        skip "needs root" unless Process.uid.zero?
        File.chown(AsNobody::NOBODY, nil, @dir)
        assert_nil Directory.new(@dir).create
      end

      def test_refuses_a_folder_that_another_user_made_first
        skip "needs root" unless Process.uid.zero?
        File.chmod(0o777, @dir)
        assert_match(/is not a folder of this user; run this as/, as_nobody { refusal(@dir) })
      end

      def test_refuses_a_folder_that_is_a_link
        link = File.join(@dir, "link")
        File.symlink(Dir.mktmpdir(nil, @dir), link)
        assert_match(/is not a folder of this user/, refusal(link))
      end

      def test_a_missing_folder_is_an_error
        assert_raises(Errno::ENOENT) { Directory.new(File.join(@dir, "missing")).entries }
      end

      def test_knows_whether_a_collector_runs
        directory = Directory.new(@dir)
        refute directory.collected?
        File.open(directory.lock_path, "w") do |file|
          file.flock(File::LOCK_EX)
          assert directory.collected?
        end
        refute directory.collected?
      end

      private

      # @return [String, nil]
      def refusal(path)
        Directory.new(path).create
        nil
      rescue Error => error
        error.message
      end
    end
  end
end
