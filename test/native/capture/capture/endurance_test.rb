# frozen_string_literal: true

require "native/native_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# Captures where a process does what nobody expects: it forks while they begin and end, asks while they are
# let go, leaves thousands of units open, traces every call.
class CaptureEnduranceTest < NativeTest
  FORKS = Thorough.turns(10, thorough: 30)
  CAPTURES = Thorough.turns(5, thorough: 20)

  PRELUDE = <<~RUBY
    #{FreshRuby::PRELUDE}
    require "holdup/capture/event_log"
    require "holdup/loader"
    require "support/captured"
    require "support/living_child"
    require "tmpdir"
    require "fileutils"
    P = Holdup::Probe
    FOLDER = Dir.mktmpdir("holdup", "/dev/shm")
    OWNER = Process.pid
    at_exit { FileUtils.rm_rf(FOLDER) if Process.pid == OWNER }
    FILE = File.join(FOLDER, "events")
    STACKS = 1_000_000
    P.enable
  RUBY

  # More than calls would fit on the stack of a thread.
  def test_as_many_units_open_as_there_can_be
    assert_equal "[true, 60000]", capture(<<~RUBY)
      count = -> { Captured.read(FILE).events.count { |event| event.kind == :unit_open } }
      Thread.new do
        60_000.times { P.enter }
        p [P.open_capture(FILE, 100_000, 0, 0), P.close_capture && count.call]
      end.join
    RUBY
  end

  repeated def test_a_reader_gets_nothing_while_the_capture_ends
    assert_equal CAPTURES.to_s, capture(<<~RUBY)
      stop = false
      ask = -> { P.caught? || P.capture_complete? || P.limit_capture(0, 1, 1) }
      asking = Array.new(2) do
        Thread.new { ask.call && P.name_captured(Thread.current, "asks") until stop }
      end
      puts #{CAPTURES}.times.count { |i| P.open_capture(FILE, 20_000, 0, 0) && P.close_capture }
      stop = true
      asking.each(&:join)
    RUBY
  end

  # A ring that goes on for days sees more threads than its table has room for.
  def test_who_is_gone_gives_its_place_to_a_newcomer
    assert_equal ["1024", "0", "late", "true"], capture(<<~RUBY).lines(chomp: true)
      P.open_capture(FILE, 1_000, 0, 0)
      main = P.name_captured(Thread.main, "main")
      1_500.times { |i| Thread.new { P.name_captured(Thread.current, "dead \#{i}") }.join }
      done = Queue.new
      late = Thread.new { P.name_captured(Thread.current, "late") && done.pop && GvlWork.release(1) }
      Thread.pass until late.stop?
      done << true
      late.join
      P.close_capture
      recording = Captured.read(FILE)
      names = recording.threads.values.map(&:name)
      puts names.size, recording.header.threads_lost, names & ["late"], names.include?("main")
    RUBY
  end

  # Nobody's code runs in the moment in which stacks are taken: it might wait, raise, or end the capture.
  def test_a_trace_of_all_calls_has_none_of_holdups
    assert_equal "[true, true, []]", capture(<<~RUBY)
      calls = []
      TracePoint.new(:c_call) { |call| calls << call.method_id if call.method_id == :list }.enable
      P.open_capture(FILE, 50_000, 0, 0, STACKS)
      stop = false
      hog = Thread.new { 1_000.times { nil } until stop }
      5.times { GvlWork.release(1) }
      stop = true
      hog.join
      P.close_capture
      kinds = Captured.read(FILE).events.map(&:kind)
      p [kinds.include?(:stack_held), kinds.include?(:stack_stalled), calls]
    RUBY
  end

  repeated def test_a_child_forked_at_any_time_has_no_part_of_its_parents_capture
    assert_equal "{0 => #{FORKS}}", capture(<<~RUBY)
      stop = false
      threads = [
        Thread.new { P.open_capture(FILE, 20_000, 0, 0, STACKS) && P.close_capture until stop },
        Thread.new { GvlWork.hold(20_000) && GvlWork.release(2) until stop }
      ]
      links_here = ->(file) { File.symlink?(file) && File.readlink(file).include?(FOLDER) }
      left = -> { File.read("/proc/self/maps").include?(FOLDER) || Dir["/proc/self/fd/*"].any?(&links_here) }
      ends = Array.new(#{FORKS}) do |i|
        child = LivingChild.fork do
          links_left = left.()
          opened = P.after_fork && P.enable && P.open_capture(FILE + i.to_s, 1_000, 0, 0, STACKS)
          works = opened && P.close_capture
          exit!((links_left ? 1 : 0) + (works ? 0 : 2))
        end
        Process.wait2(child).last.then { |status| status.exitstatus || status.to_s }
      end
      stop = true
      threads.each(&:join)
      puts "{\#{ends.tally.map { |status, count| "\#{status} => \#{count}" }.join(", ")}}"
    RUBY
  end

  # The header's count goes on beyond what an event's own number can say.
  def test_numbers_of_events_begin_anew
    assert_equal %w[true true], capture(<<~RUBY).split
      first = 2**32 - 300
      P.open_capture(FILE, 10_000, 0, 0)
      File.open(FILE, "r+b") { |file| file.pwrite([first].pack("Q<"), 64) }
      Array.new(3) { Thread.new { 100.times { GvlWork.release(1) } } }.each(&:join)
      P.close_capture
      recording = Captured.read(FILE)
      puts recording.header.head > 2**32, recording.events.size == recording.header.head - first
    RUBY
  end

  # Whatever ends the process, and whatever else goes on in it.
  def test_a_process_ends_in_the_middle
    capture(<<~RUBY)
      ways = ["exit", "abort", "Thread.main.kill", "Process.exit!(1)", "exec('true')", "raise 'the end'"]
      statuses = ways.flat_map { |way| [false, true].map { |ractors| [way, ractors] } }.map do |way, ractors|
        Process.wait2(fork do
          $stderr.reopen(File::NULL)
          P.after_fork
          P.enable
          Array.new(2) { Thread.new { loop { P.finish(P.enter.tap { GvlWork.hold(20_000) }) } } }
          capture = -> { P.open_capture(FILE, 2_000, 0, 0, STACKS / 10) && GvlWork.hold(2_000_000) }
          Thread.new { loop { capture.call && P.close_capture } }
          Ractor.new { loop { GvlWork.hold(20_000); Thread.pass } } if ractors
          20.times { GvlWork.hold(1_000_000) }
          eval(way)
        end).last
      end
      abort statuses.select(&:signaled?).inspect if statuses.any?(&:signaled?)
    RUBY
  end

  # Its stacks would be asked for when there is no VM any more.
  def test_one_that_begins_when_ruby_has_ended_already
    assert_equal "[nil]", capture(<<~RUBY)
      heap = Array.new(300_000) { [nil] }
      signals = 10.times.map do
        Process.wait2(fork do
          P.after_fork
          P.enable
          begun = Queue.new
          Thread.new do
            (begun << true) && sleep
          ensure
            P.open_capture(FILE, 2_000, 0, 0, STACKS)
          end
          begun.pop
        end).last.termsig
      end
      p signals.uniq
    RUBY
  end

  private

  def capture(script)
    fresh_ruby(script, prelude: PRELUDE).chomp
  end
end
