# frozen_string_literal: true

require "native/capturing"
require "objspace"
require "holdup/capture/controller"

# Stacks in a capture: of which threads they are, and that no unit is charged for the time they take.
class CaptureStackTest < NativeTest
  include Capturing

  OVER_NS = Holdup::Capture::Ring::STACKS_OVER_NS

  def crunch(condition)
    1_000.times { nil } until condition.call
  end

  # Ruby code that holds is asked while it does; who waits has the stack that it waits with.
  def test_who_holds_and_who_waits
    stop = false
    recording = captured do
      hog = Thread.new { crunch(-> { stop }) }
      light = Thread.new { 3.times { GvlWork.release(1) } }
      light.join
      stop = true
      [hog, light]
    end
    assert_includes labels(recording, :stack_held), "CaptureStackTest#crunch"
    waited = stacks(recording, :stack_stalled).find { |frames|
      frames.any? { |frame| frame.label == "GvlWork.release" }
    }
    refute_nil waited
    assert_equal File.basename(__FILE__), File.basename(waited.find(&:written?).path)
  end

  # Captures are given to others: they have methods and files, not what a method was called with.
  def test_have_no_arguments_and_no_values
    recording = captured { [Thread.new { called_with("QQ-secret-argument", key: "QQ-secret-value") }] }
    assert_includes labels(recording, :stack_held), "CaptureStackTest#called_with"
    refute_includes File.binread(@file), "QQ-secret"
    assert_equal 0o600, File.stat(@file).mode & 0o777
  end

  def called_with(argument, key:)
    both = argument + key
    until_taken { native_hold }
    both
  end

  # C code does not answer before it ends, which is still in its own hold.
  def test_c_code_that_keeps_the_gvl
    recording = captured { [Thread.new { until_taken { native_hold } }] }
    assert_includes labels(recording, :stack_held), "CaptureStackTest#native_hold"
    scene = Holdup::Captures::Timeline::Scene.new(recording)
    sample = scene.samples.all.find { |one|
      recording.stacks.frames(one.stack).any? { |frame| frame.label.end_with?("#native_hold") }
    }
    hold = scene.holds.find { |one| one.lane == sample.lane && (one.from..one.to).cover?(sample.time) }
    assert_operator scene.ns(hold.length), :>=, 30 * MS
  end

  def native_hold = GvlWork.hold(30 * MS)

  # The tables of frames and nodes live as long as the process: heap dumps show who has this memory.
  def test_what_stacks_keep_in_memory_is_known_to_ruby
    captured { [Thread.new { until_taken { native_hold } }] }
    plain = ObjectSpace.each_object(Object).select { |object| object.instance_of?(Object) }
    largest = plain.map { |object| ObjectSpace.memsize_of(object) }.max
    assert_operator largest, :>, 250_000
  end

  def test_without_stacks_the_file_has_no_room_for_them
    Probe.open_capture(@file, 1_000, 0, 0)
    GvlWork.hold(30 * MS)
    Probe.close_capture
    recording = Captured.read(@file)
    assert_equal [false, 0, 0],
      [recording.stacks.any?, recording.header.stacks.frame_capacity, recording.header.stacks.taken]
  end

  # A method that is gone, or moved, is not taken for another one at the same place.
  def test_methods_that_go_and_move
    recording = captured do
      8.times { |index| go(index) }
      []
    end
    found = stacks(recording, :stack_held).filter_map { |frames|
      frames.filter_map { |frame| frame.label[/gone_(\d+)/, 1] }.first&.to_i
    }
    assert_operator found.uniq.size, :>, 1
    assert_equal found.sort, found, "each at its time"
  end

  def go(index)
    owner = Class.new
    owner.class_eval("def gone_#{index}(ns) = GvlWork.hold(ns) && 100.times { nil }", __FILE__, __LINE__)
    until_taken { owner.new.public_send(:"gone_#{index}", 20 * MS) }
    owner = nil
    GC.start
    GC.compact if GC.respond_to?(:compact)
  end

  # The probe adds an idle time when it ends, and the capture has of it what fell into its window.
  def test_a_thread_that_was_idle_before_it_began
    gate = Queue.new
    waits = Thread.new { gate.pop }
    wait_until { waits.stop? }
    captured do
      gate << true
      [waits, Thread.new { 10.times { GvlWork.release(1) } }]
    end
  end

  # More methods than the table has room for: it begins anew, and what it says is right.
  def test_a_full_table_begins_anew
    recording = captured do
      14.times { |set| until_taken { chain(set, 180).link_0 { GvlWork.hold(20 * MS) } } }
      []
    end
    assert_operator recording.header.stacks.first_event, :>, 0
    assert_operator recording.stacks.table.size, :<=, recording.header.stacks.frame_capacity
    held = recording.events.select { |event| event.kind == :stack_held }
    stacks = held.filter_map { |event| recording.stacks.of(event) }
    links = stacks.map do |stack|
      recording.stacks.frames(stack).filter_map { |frame| frame.method_name[/link_\d+/] }
    end
    chains = links.reject(&:empty?)
    assert_operator chains.size, :>, 0
    chains.each { |links| assert_equal Array.new(links.size) { |index| "link_#{index}" }, links.reverse }
  end

  # An object with so many methods, each of which calls the next.
  def chain(set, length)
    (@chains ||= {})[set] ||= Class.new {
      length.times { |index|
        following = (index + 1 < length) ? "link_#{index + 1}(&work)" : "work.call"
        class_eval("def link_#{index}(&work) = (#{following}).nil?", __FILE__, __LINE__)
      }
    }.new
  end

  def test_records_the_cost_of_taking_stacks
    stop = false
    recording = captured {
      [Thread.new { crunch(-> { stop }) }, Thread.new { 3.times { GvlWork.release(1) } && stop = true }]
    }
    header = recording.header
    assert_operator header.stacks.stack_ns, :>, 0
    assert_operator header.stacks.watch_ns, :>, 0
    assert_equal header.head * header.event_cost_ps / 1000 + header.stacks.stack_ns + header.stacks.watch_ns,
      header.cost_ns
    assert_operator header.stacks.taken, :>=,
      recording.events.count { |event| event.kind.start_with?("stack") }
  end

  def test_the_watching_thread_ends_with_the_capture
    before = native_threads # perhaps some of Ruby threads that are just gone
    Probe.open_capture(@file, 1_000, 0, 0, OVER_NS)
    assert_equal 1, (watching = native_threads - before).size
    Probe.close_capture
    assert_empty watching & native_threads
  end

  private

  # @yieldreturn [Array<Thread>]
  def captured(&work)
    super(OVER_NS) { work.call.each(&:join) }
  end

  # The machine may be busy: who watches comes when it does, perhaps while this method itself holds the GVL.
  def until_taken
    enough = taken + 5
    500.times { yield if taken < enough }
  end

  def taken
    Holdup::Capture::Header.parse(File.binread(@file, 4096), path: @file).stacks.taken
  end

  def stacks(recording, kind)
    recording.events.select { |event| event.kind == kind }.map { |event|
      recording.stacks.frames(recording.stacks.of(event))
    }
  end

  def labels(recording, kind)
    stacks(recording, kind).flat_map { |frames| frames.map(&:method_name) }.uniq
  end

  def native_threads = Dir.children("/proc/self/task")
end
