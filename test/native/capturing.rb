# frozen_string_literal: true

require "native/native_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# For tests that capture their own process: a file for it, and what was captured, once that agrees with the
# probe to the tick.
module Capturing
  def setup
    super
    @folder = Dir.mktmpdir("holdup", "/dev/shm")
    @file = File.join(@folder, "events")
  end

  def teardown
    FileUtils.remove_entry(@folder)
    super
  end

  # For units that have names: these are in the segment.
  module Named
    include Capturing

    def setup
      super
      Holdup::Probe.open_segment(File.join(@folder, "segment"), 10, 64, nil, 0)
    end

    def teardown
      Holdup::Probe.close_segment
      super
    end

    private

    # @yieldparam handle [Integer] of the unit
    # @return [Thread] that runs it
    def unit(name)
      Thread.new do
        handle = Holdup::Probe.enter
        yield(handle)
        Holdup::Probe.record(handle, 1, name, nil, nil, false)
      end
    end
  end

  private

  # @param stacks_over_ns [Integer] of a wait, beyond which stacks are taken; 0: no stacks
  # @return [Holdup::Capture::EventLog] of the block
  def captured(stacks_over_ns = 0)
    Holdup::Probe.open_capture(@file, 50_000, 0, 0, stacks_over_ns)
    yield
    wait_until { Holdup::Probe.snapshot[:waiting_threads].zero? }
    Holdup::Probe.close_capture
    assert_equal "", Captured.disagreement(@file)
    Captured.read(@file)
  end
end
