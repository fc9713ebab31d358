# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::SegmentReaderTest < Minitest::Test
  include TemporaryFolder

  NOW_NS = SampleWindows::START_S * 1_000_000_000

  def read = Holdup::Doctor::SegmentReader.call(folder, NOW_NS)

  def writer(**options) = SegmentWriter.new(folder, now_ns: NOW_NS, **options)

  def test_requests_and_those_whose_queue_time_is_known
    own = writer(worker: 3)
    2.times { own.record("A", wall: 5, queued: 1) }
    own.record("A", wall: 5)
    own.record("J", kind: :job, wall: 5, queued: 1)
    process = read.first.first
    assert_equal [3, 2], [process.requests, process.queued]
    assert_equal [3, Process.pid], [process.worker, process.pid]
    assert process.alive
  end

  def test_what_the_process_says_of_itself
    own = writer
    own.setting = '{"jit":"off"}'
    own.profile = {"server" => "puma"}
    process = read.first.first
    assert_equal "off", process.setting["jit"]
    assert_equal "puma", process.profile["server"]
    assert_nil process.worker, "it is no worker of a cluster"
    assert_nil process.ring_share, "it waits to capture nothing"
  end

  def test_a_process_that_has_said_nothing_yet
    writer
    process = read.first.first
    assert_empty process.setting
    assert_empty process.profile
    assert_equal 0, process.requests
  end

  def test_files_that_are_no_segments_are_messages
    writer
    File.binwrite(File.join(folder, "1-1.segment"), "x" * 5000)
    File.binwrite(File.join(folder, "2-2.segment"), "")
    processes, refused = read
    assert_equal 1, processes.size
    assert_equal 2, refused.size
    assert_match(/1-1\.segment is not a segment of Holdup/, refused.min)
  end
end
