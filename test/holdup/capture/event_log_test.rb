# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"

class Holdup::Capture::EventLogTest < Minitest::Test
  Recording = Holdup::Capture::EventLog

  def ring
    EventRing.new.running(2).suspended(2, 10).ready(3, 20).resumed(3, 30)
  end

  def parse(bytes) = Recording.parse(bytes, path: "file")

  def test_reads_what_the_probe_writes
    recording = parse(ring.bytes(to: 100))
    assert_equal %i[suspended ready resumed], recording.events.map(&:kind)
    assert_equal [[:running, false], [:unknown, true], [:waiting, false]],
      recording.events.map { |event| [event.before, event.flag?(:closed)] }
    assert_equal "srv 2", recording.threads.fetch(3).name
    assert_equal "GET /light", recording.names.fetch(1).name
    assert_equal [100, 100, 1_790_000_000_000_000_030],
      [recording.length_ticks, recording.length_ns, recording.realtime_ns(30)]
    assert_equal "pid 7", recording.header.process_name
  end

  # The process died between claiming a number and committing it: what comes before is whole.
  def test_events_up_to_the_first_hole
    bytes = ring.bytes(to: 100, closed: false)
    bytes[-64, 4] = [0].pack("L<")
    recording = parse(bytes)
    assert_equal [:suspended], recording.events.map(&:kind)
    assert_equal 10, recording.length_ticks
  end

  # The oldest events of a full ring are gone; a stack may be written long after it was taken.
  def test_a_window_does_not_begin_with_a_stack_that_was_written_late
    ring = EventRing.new.running(1).suspended(1, 100).stack(1, 20, ["crunch", "a.rb", 1])
    ring.resumed(2, 110).suspended(2, 130)
    recording = Holdup::Capture::EventLog.parse(ring.bytes(to: 200), path: "the ring", since: 1)
    assert_equal [110, 0], [recording.first_ticks, recording.events.first.time]
  end

  def test_refuses_files_that_are_not_captures
    assert_refused(/starts with other bytes/, "")
    assert_refused(/starts with other bytes/, "x" * 5000)
    assert_refused(/layout 3, this Holdup reads up to 2/, ring.bytes(to: 1, version: 3))
    assert_refused(/cut short/, ring.bytes(to: 1)[0..-2])
    assert_refused(/other sizes/, ring.bytes(to: 1).tap { |bytes| bytes[72, 8] = [3].pack("Q<") })
  end

  def test_a_capture_of_the_first_layout_has_no_stacks
    recording = parse(ring.bytes(to: 100, version: 1))
    refute recording.stacks.any?
    assert_operator recording.events.size, :>, 1
  end

  # What a header says of stacks is not believed either.
  def test_stacks_that_can_not_be
    whole = ring.stack(2, 50, ["Report#crunch", "/srv/report.rb", 12]).bytes(to: 100)
    assert_equal %w[Report#crunch], parse(whole).stacks.frames(1).map(&:label)
    14.times do |field|
      [1 << 63, 1 << 40, 5000].each do |value|
        broken = whole.dup.tap { |bytes| bytes[384 + field * 8, 8] = [value].pack("Q<") }
        recording = begin
          parse(broken)
        rescue Holdup::DamagedData
          next
        end
        recording.events.each do |event|
          recording.stacks.of(event)&.then { |stack| recording.stacks.frames(stack) }
        end
      end
    end
    lost = whole.dup.tap { |bytes| bytes[384 + 8, 8] = [0].pack("Q<") }
    assert_raises(Holdup::DamagedData) { parse(lost) }
  end

  def test_names_of_any_bytes_become_valid_text
    name = parse(EventRing.new(names: ["a\xff\xfeb"]).running(1).bytes(to: 1)).names.fetch(0).name
    assert_equal [true, "a??b"], [name.valid_encoding?, name]
  end

  private

  def assert_refused(reason, bytes)
    error = assert_raises(Holdup::DamagedData) { parse(bytes) }
    assert_match reason, error.message
    assert_match(/`holdup capture` makes one/, error.message)
  end
end
