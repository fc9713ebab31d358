# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/runtime/segment_file"
require "holdup/segment/directory"

class Holdup::Runtime::SegmentFileTest < Minitest::Test
  include AsNobody

  def setup
    @root = Dir.mktmpdir
    @probe = RecordingProbe.new
    @log = CollectedLog.new
  end

  def teardown = FileUtils.remove_entry(@root)

  def dir = File.join(@root, "a", "b")

  def place(anonymous: false)
    Holdup::Configuration::SegmentLocation.new(dir:, anonymous:)
  end

  def open_segment(ring: 4096, place: self.place)
    Holdup::Runtime::SegmentFile.new(place:, probe: @probe, log: @log)
      .open(series: 200, ring:, pairs: 1024, worker: 3, generation: 1)
  end

  linux def test_makes_a_private_folder_and_names_the_process
    path = open_segment
    assert_equal 0o700, File.stat(dir).mode & 0o777
    ticks = File.read("/proc/self/stat").rpartition(")").last.split[19]
    assert_equal File.join(dir, "#{Process.pid}-#{ticks}.segment"), path
    assert_equal [[path, 200, 4096, 3, 1, 1024]], @probe.opened
  end

  def test_the_folder_has_its_modes_whatever_the_umask
    before = File.umask(0o777)
    open_segment
    assert_equal [0o700, 0o700], [dir, File.dirname(dir)].map { |path| File.stat(path).mode & 0o777 }
  ensure
    File.umask(before)
  end

  def test_a_folder_that_its_owner_may_not_write_is_corrected
    FileUtils.mkdir_p(dir)
    File.chmod(0o500, dir)
    open_segment
    assert_equal 0o700, File.stat(dir).mode & 0o777
  end

  # In another container, with the same pid and start time.
  def test_a_name_that_another_process_takes_meanwhile_is_not_used
    @probe.define_singleton_method(:open_segment) do |path, *values|
      File.write(path, "") if opened.empty?
      super(path, *values)
      raise Errno::EEXIST if opened.size == 1
    end
    assert_match(/-2\.segment\z/, open_segment)
    assert_equal 2, @probe.opened.size
  end

  def test_a_second_segment_of_the_process_has_another_name
    File.write(open_segment, "")
    second = open_segment
    assert_match(/-2\.segment\z/, second)
    File.write(second, "")
    assert_match(/-3\.segment\z/, open_segment)
  end

  def test_memory_without_a_name
    open_segment(place: place(anonymous: true))
    assert_equal [[:anonymous], 1], [@probe.calls, @probe.opened.size]
  end

  def test_a_nearly_full_tmpfs_means_a_smaller_ring_and_a_warning
    @probe.refusal = ->(_path, _series, ring, *) { Errno::ENOSPC.new if ring > 512 }
    open_segment
    assert_equal 512, @probe.opened.first[2]
    assert_match(/nearly full: keeping 512 units singly instead of 4096/, @log.lines.first)
  end

  # The requests of a process that starts while others have filled the tmpfs count too.
  def test_a_full_tmpfs_means_memory_without_a_name_and_a_warning
    skip "anonymous memory is read through /proc" unless File.directory?("/proc/self/fd")
    @probe.refusal = ->(*) { Errno::ENOSPC.new unless @probe.calls.include?(:anonymous) }
    path = open_segment
    assert_equal [[path, 200, 4096, 3, 1, 1024]], @probe.opened
    assert_match(/is full: keeping the figures of this process in memory/, @log.lines.first)
  end

  def test_a_full_tmpfs_is_one_sentence_that_says_what_to_do
    @probe.refusal = ->(*) { Errno::ENOSPC.new }
    error = assert_raises(Holdup::Error) { open_segment }
    assert_match(/no space left in .*; make it larger \(Docker: --shm-size\) or set HOLDUP_DIR/,
      error.message)
  end

  def lost_file
    clock = HandClock.new(realtime_ns: 7 * 10**9)
    file = Holdup::Runtime::SegmentFile.new(place:, probe: @probe, log: @log, clock:)
    file.open(series: 200, ring: 4096, pairs: 1024, worker: 3, generation: 1)
    FileUtils.rm_rf(dir)
    file
  end

  def test_makes_a_segment_again_that_was_removed_and_says_so_once
    file = lost_file
    assert_empty file.profile
    2.times { file.name_again(:removed) }
    assert_equal %i[file_again] * 2, @probe.calls
    assert_equal 0o700, File.stat(dir).mode & 0o777
    assert_equal 1, @log.lines.size
    assert_match(/the segment of this process was removed \(.*\): it is back, and nothing .* is lost/,
      @log.lines.first)
    assert_equal({"segment.lost" => "removed", "segment.lost_times" => 2, "segment.lost_at_s" => 7},
      file.profile)
  end

  def test_makes_it_again_in_memory_where_the_tmpfs_is_full
    skip "anonymous memory is read through /proc" unless File.directory?("/proc/self/fd")
    @probe.refusal = ->(anonymous, *) { Errno::ENOSPC.new if anonymous == false }
    lost_file.name_again(:removed)
    assert_equal %i[link_again], @probe.calls
  end

  # The first try may meet the removal itself.
  def test_says_once_why_it_can_not_make_it_again_and_then_that_it_has
    file = lost_file
    File.write(dir, "in the way")
    file.name_again(:replaced)
    assert_empty @log.lines
    3.times { file.name_again(:replaced) }
    assert_equal 1, @log.lines.size
    assert_match(/was replaced by another file and can't be made again \(.*\): what it measures stays in /,
      @log.lines.first)
    File.unlink(dir)
    file.name_again(:removed)
    assert_match(/it is back/, @log.lines.last)
  end

  def test_says_at_the_end_what_was_lost
    file = lost_file
    File.write(dir, "in the way")
    file.name_again(:removed)
    file.ends
    assert_match(/can't be made again/, @log.lines.first)
  end

  # Processes of jobs may end between two rounds, and their segments leave no room for the next ones.
  def test_little_room_makes_the_collector_come_at_once
    @probe.segment_room = 100
    open_segment
    assert_nil Holdup::Segment::Directory.new(dir).hurried_at
    @probe.segment_room = 5
    open_segment
    refute_nil Holdup::Segment::Directory.new(dir).hurried_at
  end

  def test_a_full_tmpfs_makes_the_collector_come_at_once
    @probe.refusal = ->(*) { Errno::ENOSPC.new }
    assert_raises(Holdup::Error) { open_segment }
    refute_nil Holdup::Segment::Directory.new(dir).hurried_at
  end

  def test_a_small_ring_stays_small
    @probe.refusal = ->(*) { Errno::ENOSPC.new }
    assert_raises(Holdup::Error) { open_segment(ring: 64) }
  end

  def test_closes_a_folder_that_others_can_read
    FileUtils.mkdir_p(dir, mode: 0o755)
    open_segment
    assert_equal 0o700, File.stat(dir).mode & 0o777
  end

  # In /dev/shm anyone can make a folder of this name first.
  def test_refuses_a_folder_that_another_user_made_first
    skip "needs root" unless Process.uid.zero?
    FileUtils.mkdir_p(dir)
    File.chmod(0o777, @root, File.dirname(dir), dir)
    message = as_nobody do
      open_segment
    rescue Holdup::Error => error
      error.message
    end
    assert_match(/not a folder of this user; set HOLDUP_DIR/, message)
  end

  def test_refuses_a_folder_that_is_a_link
    FileUtils.mkdir_p(File.dirname(dir))
    File.symlink(Dir.mktmpdir(nil, @root), dir)
    assert_match(/not a folder of this user/, assert_raises(Holdup::Error) { open_segment }.message)
  end
end
