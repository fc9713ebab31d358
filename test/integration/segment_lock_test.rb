# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "holdup/loader"
require "support/measuring_process"
require "support/pid_namespace"

# A heartbeat never proves that a process is dead. The lock on its segment does: the kernel drops it with the
# process, and no child has it.
class SegmentLockTest < Minitest::Test
  include TemporaryFolder

  FileLock = Holdup::Segment::Directory::FileLock
  NS = 1_000_000_000

  def setup
    @dir = File.join(folder, "segments")
    @store = File.join(folder, "store.sqlite3")
    @processes = []
    @log = CollectedLog.new
  end

  def teardown
    @processes.each { |process| process.end_by(process.alive? ? :KILL : nil) }
    super
  end

  def started(**options)
    log = File.join(folder, "log#{@processes.size}")
    MeasuringProcess.new(@dir, log:, **options).tap { |process| @processes << process }
  end

  # In a process table of its own, as in another container.
  def started_apart(**)
    within = PidNamespace.command
    skip "no PID name space can be made here" unless within
    started(within:, **)
  end

  # What runs in there, as this process table has it.
  def inner(process)
    Integer(File.read("/proc/#{process.pid}/task/#{process.pid}/children").split.first)
  end

  # @param later_s [Numeric] the collector's clock is ahead, as if so much time had passed
  def collect(later_s: 0)
    now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) + later_s * NS
    clock = HandClock.new(realtime_ns: now_ns)
    clock.define_singleton_method(:realtime_s) { realtime_ns / NS }
    Holdup::Collector.new(store: Holdup::Store.open(@store), directory: @dir, log: @log, clock:).once
  end

  def stored
    store = Holdup::Store.open(@store)
    store.windows(0, Time.now.to_i + 86_400, kinds: [:job, :request]).sum(&:count)
  ensure
    store&.close
  end

  def paths = Dir["#{@dir}/*.segment"]

  def lock(path) = File.open(path) { |io| FileLock.state(io) }

  def test_a_process_of_another_table_that_stands_still_keeps_its_segment
    process = started_apart
    process.measure(10)
    collect
    pid = inner(process)
    process.signal(:STOP, pid)
    [16, 60, 3600].each { |later_s| collect(later_s:) }
    assert_equal 1, paths.size
    process.signal(:CONT, pid)
    process.measure(10)
    collect
    assert_equal 20, stored
  end

  # As C code does that runs for long and does not release the GVL.
  def test_one_whose_gvl_is_held_keeps_its_segment
    process = started_apart
    process.measure(10)
    process.run("require 'fiddle'; @usleep = Fiddle::Function.new(Fiddle.dlopen(nil)['usleep'], " \
      "[Fiddle::TYPE_INT], Fiddle::TYPE_INT, need_gvl: true); 1")
    holding = Thread.new { process.run("@usleep.call(900_000)") }
    collect(later_s: 30)
    assert_equal 1, paths.size
    holding.join
    process.measure(5)
    collect
    assert_equal 15, stored
  end

  def test_those_who_look_see_a_process_that_stands_still
    process = started_apart
    process.measure(3)
    process.signal(:STOP, inner(process))
    later_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) + 60 * NS
    directory = Holdup::Segment::Directory.new(@dir)
    assert_equal 1, directory.running(later_ns).size
    assert_equal 1, directory.unended.size
    clock = HandClock.new(realtime_ns: later_ns, monotonic_ns: 0)
    assert_equal 1, Holdup::Top::Reader.new(@dir, clock:).look.size
    processes, = Holdup::Doctor::SegmentReader.call(@dir, later_ns)
    assert_equal [true], processes.map(&:alive)
  end

  def test_a_killed_process_of_another_table_is_finished_and_removed_once
    process = started_apart
    process.measure(10)
    collect
    process.measure(7)
    process.end_by(:KILL)
    # Of two processes this one waited for the outer one; the kernel ends the inner one by itself.
    wait_until { lock(paths.first) == :free }
    collect(later_s: 6)
    assert_equal 17, stored
    assert_empty paths
    collect(later_s: 12)
    assert_equal 17, stored
  end

  def test_a_capture_of_a_process_of_another_table_can_be_asked_and_is_not_swept
    process = started_apart
    process.measure(3)
    events = paths.first.sub(/segment\z/, "events")
    File.write(events, "")
    process.signal(:STOP, inner(process))
    assert_equal 1, Holdup::Capture::Client.processes(@dir).size
    assert_path_exists events
  end

  def test_the_lock_ends_with_the_process
    process = started
    path = paths.first
    assert_equal :held, lock(path)
    process.end_by(:KILL)
    assert_equal :free, lock(path)
  end

  def test_readers_of_the_same_process_do_not_release_it
    process = started
    process.run("5.times { File.open(Dir['#{@dir}/*.segment'].first) { |io| io.read(10) } }")
    process.run("require 'holdup/loader'; Holdup::Segment::Directory.new('#{@dir}').running.size")
    assert_equal :held, lock(paths.first)
  end

  # Children that live on do not keep it.
  CHILDREN = {
    "a forked child" => "fork { sleep }",
    "a spawned program" => "Process.spawn('sleep', '60')",
    "a program that gets all descriptors" => "Process.spawn('sleep', '60', close_others: false)",
    "a child of popen" => "(IO.popen('sleep 60')).pid",
    "a child that C code forks" => "require 'fiddle'; " \
      "Fiddle::Function.new(Fiddle.dlopen(nil)['fork'], [], Fiddle::TYPE_INT).call" \
        ".then { |pid| sleep if pid == 0; pid }"
  }.freeze

  CHILDREN.each do |what, code|
    define_method(:"test_#{what.tr(" ", "_")}_does_not_keep_the_lock") do
      process = started
      path = paths.first
      child = Integer(process.run("@child = (#{code})"))
      assert_equal :held, lock(path)
      process.signal(:KILL)
      wait_until { !process.alive? }
      wait_until { lock(path) == :free }
    ensure
      Process.kill(:KILL, child) if child
    end
  end

  def test_a_forked_child_has_a_lock_of_its_own
    process = started
    parent = paths.first
    child = Integer(process.run("@child = fork { sleep }"))
    wait_until { paths.size == 2 }
    own = (paths - [parent]).first
    wait_until { lock(own) == :held }
    Process.kill(:KILL, child)
    process.run("Process.wait(@child); 1")
    assert_equal [:held, :free], [lock(parent), lock(own)]
  end

  def test_a_process_that_daemonizes_locks_its_new_segment
    process = started
    child = Integer(process.run("fork { Process.daemon(true, true); measure(3); sleep }"))
    process.run("Process.wait(#{child}); 1")
    daemon = wait_until { paths.find { |path| lock(path) == :held && !path.include?("/#{process.pid}-") } }
    pid = Integer(File.basename(daemon)[/\A\d+/])
    wait_until { collect && stored == 3 }
    Process.kill(:KILL, pid)
    ended = wait_until { lock(daemon) == :free }
    assert ended
  ensure
    Process.kill(:KILL, pid) if pid && !ended
  end

  # As a server does that restarts itself.
  def test_a_process_that_executes_another_program_gives_its_lock_back
    process = started
    path = paths.first
    process.run("Thread.new { sleep 0.1; exec('sleep', '60') }; 1")
    assert_equal :held, lock(path)
    wait_until { lock(path) == :free }
  end

  # A process without a lock goes by its heartbeat. Where that was wrong, it makes its segment again, and goes
  # on from where it was.
  def test_one_without_a_lock_that_was_taken_for_dead_comes_back
    process = started_apart
    process.measure(10)
    process.signal(:STOP, inner(process))
    forget_lock(paths.first)
    # As on a file system that has none.
    FileLock.stub(:state, nil) { [0, 16].each { |later_s| collect(later_s:) } }
    assert_empty paths
    process.signal(:CONT, inner(process))
    process.measure(10)
    wait_until { paths.any? }
    collect
    assert_equal 20, stored
  end

  private

  def forget_lock(path)
    state = [Holdup::Segment::Layout::LIVE].pack("Q<")
    File.open(path, "r+b") { |file| file.pwrite(state, Holdup::Segment::Layout::STATE) }
  end
end
