# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::TroublesReaderTest < Minitest::Test
  class Clock
    attr_accessor :monotonic_ns

    def initialize = @monotonic_ns = 0

    def realtime_s = SampleWindows.new.to_s

    def realtime_ns = realtime_s * 1_000_000_000
  end

  def clock = @clock ||= Clock.new

  def reader(&store)
    Holdup::Doctor::TroublesReader.new(dir: "/nonexistent", store: store || -> { opened }, clock:)
  end

  def opened
    @looks = @looks.to_i + 1
    Holdup::Store.open("memory:")
  end

  # Other processes of this machine come and go, and some of them are troubles: they have to be as many
  # before and after.
  def test_counts_the_checks_that_fail_or_warn
    before = troubles
    found, after = nil
    10.times do
      found, after = reader.wait, troubles
      break if after == before
      before = after
    end
    assert_operator after, :>, 0
    assert_equal after, found
  end

  def troubles
    host = Holdup::Doctor::Reader.new(dir: "/nonexistent", clock:, open_store: -> { opened },
      segments: Holdup::Doctor::SegmentReader).call
    Holdup::Doctor::Checks.call(host).count { |check| !check.ok? }
  end

  def test_does_not_wait_for_the_first_look
    gate = Queue.new
    found = reader { gate.pop.then { opened } }

    assert_nil found.call
    gate << true
    assert_kind_of Integer, found.wait
  end

  def test_looks_once_a_minute
    found = reader
    2.times { found.wait }
    assert_equal 1, @looks
    clock.monotonic_ns += Holdup::Doctor::TroublesReader::EVERY_NS
    found.wait
    assert_equal 2, @looks
  end
end
