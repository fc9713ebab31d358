# frozen_string_literal: true

require "native/capturing"
require "holdup/capture/controller"

# Stacks that another sampler tells a capture later: believed where the ring agrees.
class CaptureSamplesTest < NativeTest
  include Capturing

  STACK = [["Array#each", nil, 0], 7, ["Report.crunch", "/app/report.rb", 5], 9].freeze

  def test_only_of_a_thread_that_had_the_gvl_then
    idle, hog, at = nil
    recording = captured do
      idle = Thread.new { Thread.stop }
      hog = Thread.new { at = hold_around_now and Thread.stop }
      wait_until { at && hog.stop? && idle.stop? }
      after = now
      assert_equal [false, true, false, false],
        [[idle, at], [hog, at], [nil, at],
          [hog, after]].map { |thread, time| Probe.take_sample(thread, time, STACK) }
      assert Probe.take_sample(Thread.current, after, STACK)
      [idle, hog].each { |thread| thread.wakeup.join }
    end
    assert_operator recording.header.stacks.taken, :>=, 2
    assert_in_place(recording)
  end

  def test_of_a_thread_that_is_gone
    recording = captured do
      at = Thread.new { hold_around_now }.value
      assert Probe.take_sample(nil, at, STACK)
    end
    stacks = recording.events.select { |event| event.kind == :stack_held }.map { |event|
      recording.stacks.frames(recording.stacks.of(event))
    }
    frames = stacks.find { |stack| stack.last.label == "Report.crunch" }
    assert_equal [["Array#each", nil, 0, 7], ["Report.crunch", "/app/report.rb", 5, 9]],
      frames.map { |frame| frame.to_h.values }
  end

  # While no thread waits, only the other sampler takes stacks of running threads. One may be asked already.
  def test_a_running_thread_without_waiters_is_not_sampled
    before = nil
    recording = captured do
      before = Holdup::Capture::Header.parse(File.binread(@file, 4096), path: @file).stacks.taken
      20.times { GvlWork.hold(5 * MS) && 1_000.times { nil } }
    end
    assert_operator recording.header.stacks.taken - before, :<=, 1
  end

  def test_what_it_cost_counts
    recording = captured { Probe.charge_capture(10**15) }
    assert_operator recording.header.stacks.watch_ns, :>=, 10**15
  end

  def test_without_a_capture_and_with_nonsense
    assert_nil Probe.sample_elsewhere(true)
    refute Probe.take_sample(nil, now, STACK)
    captured do
      assert_raises(TypeError) { Probe.take_sample(Thread.current, now, ["frame", 1]) }
      assert_raises(ArgumentError) { Probe.take_sample(Thread.current, now, [["label"], 1]) }
    end
  end

  private

  def captured
    super(Holdup::Capture::Ring::STACKS_OVER_NS) do
      assert_kind_of Integer, Probe.sample_elsewhere(true)
      GvlWork.release(5)
      yield
    end
  end

  def hold_around_now
    GvlWork.hold(MS)
    at = now
    GvlWork.hold(MS)
    at
  end

  # Of who ran while it had the GVL, and on a machine that keeps somebody waiting long of who waited, while it
  # did.
  def assert_in_place(recording)
    Holdup::Captures::Timeline::Scene.new(recording).samples.all.each do |sample|
      state = {held: :running, stalled: :stalled}.fetch(sample.kind)
      covering = sample.lane.spans.any? do |span|
        span.state == state && (span.from..span.to).cover?(sample.time)
      end
      assert covering, sample.to_s
    end
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
  end
end
