# frozen_string_literal: true

require "test_helper"
require "holdup/capture/client"

class Holdup::Capture::BackgroundRequestTest < Minitest::Test
  include TemporaryFolder

  Ordering = Holdup::Capture::BackgroundRequest
  Request = Holdup::Capture::Request
  Now = Struct.new(:realtime_ns)

  def setup
    @segment = SegmentWriter.new(folder, worker: 3)
    @ordering = Ordering.new(dir: folder, clock: Now.new(7_000_000))
  end

  def test_asks_a_process_that_measures_and_waits_for_nothing
    assert_equal [Ordering::TargetProcess.new(pid: Process.pid, name: "worker 3")], @ordering.processes
    @ordering.order(Process.pid, seconds: 5)
    number = File.binread(@segment.path).unpack1("Q<", offset: Holdup::Segment::Layout::CAPTURE_REQUEST)
    assert_equal Request.new(asked_ms: 7, seconds: 5, attended: false), Request.decode(number)
  end

  def test_who_can_not_be_asked
    assert_match(/measures nothing here/, assert_raises(Holdup::Error) { @ordering.order(1) }.message)
    File.binwrite(Holdup::Capture::Controller.path(@segment.path), EventRing.new.bytes(to: 10, closed: false))
    assert_match(/is being captured already/,
      assert_raises(Holdup::Error) { @ordering.order(Process.pid) }.message)
    assert_empty Ordering.new(dir: "#{folder}/none", clock: nil).processes
  end
end
