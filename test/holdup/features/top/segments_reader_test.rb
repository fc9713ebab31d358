# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Top::SegmentsReaderTest < Minitest::Test
  include TemporaryFolder

  NOW_S = 1_790_000_000
  NOW_NS = NOW_S * 1_000_000_000

  def segments(dir = folder)
    @segments ||= Holdup::Top::SegmentsReader.new(dir, clock: CommandLine::Still.new(now_s: NOW_S))
  end

  def pids(...) = segments(...).read { |_entry, reader| reader.header.pid }

  def test_the_processes_that_measure
    [1, Process.pid].each { |pid| SegmentWriter.new(folder, now_ns: NOW_NS, worker: 0, pid:) }
    assert_equal [1, Process.pid], pids.sort
    assert_nil segments.trouble
  end

  def test_what_the_block_has_nothing_for_is_left_out
    SegmentWriter.new(folder, now_ns: NOW_NS, worker: 0)
    assert_empty segments.read { nil }
  end

  def test_a_folder_that_is_not_there_is_no_trouble
    assert_empty pids("#{folder}/none")
    assert_nil segments.trouble
  end

  def test_a_file_that_is_no_segment_is_said_and_the_others_are_read
    path = SegmentWriter.new(folder, now_ns: NOW_NS, worker: 0).path
    SegmentWriter.new(folder, now_ns: NOW_NS, worker: 1, pid: 1)
    File.write(path, "x" * 100)
    assert_equal 1, pids.size
    refute_nil segments.trouble
  end
end
