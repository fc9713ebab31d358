# frozen_string_literal: true

require "native/native_helper"
require "holdup/segment/reader"

# What the threads of open units do, read by another process while theirs can't run a line of Ruby.
class OpenStatesTest < Minitest::Test
  include TemporaryFolder

  SCRIPT = <<~RUBY
    require "holdup"
    RECORDER = Holdup::Recorder.new(probe: Holdup::Probe, guard: Holdup::Guard.new(log: $stderr, clock: nil))
    PROBE = Holdup::Probe
    LONG_NS = 600_000_000_000
    PROBE.enable
    PROBE.open_segment(ARGV.first, 32, 64, nil, 0)
    PROBE.sample_holds(10_000_000)

    def unit(name) = Holdup::Recorder::OpenUnit.new(RECORDER, 1, name, nil).open(nil)

    def thread(name)
      Thread.new do
        unit(name)
        yield
      end
    end
  RUBY

  def teardown
    Process.kill(:KILL, @pid)
    Process.wait(@pid)
    super
  end

  def path = "#{folder}/test.segment"

  # @return [void] when the process has written a line
  def start(script)
    output, written = IO.pipe
    @pid = Process.spawn(FreshRuby::WITHOUT_GEMS[:env], RbConfig.ruby, "--disable=gems", "-e",
      FreshRuby::PRELUDE + SCRIPT + script, path, out: written)
    written.close
    assert output.gets, "it has begun"
  end

  def read = Holdup::Segment::Reader.open(path) { |reader| [reader.open_units, reader.open_state] }

  # A look at the moment of a hand-off finds that nobody holds the GVL.
  # @return [Hash{String => OpenUnit}], OpenState
  def wait_for(states)
    wait_until do
      units, state = read
      units = units.to_h { |unit| [unit.name, unit] }
      handed_off = states.value?(:gvl) && state.held_since_ns.nil?
      [units, state] if units.transform_values(&:state) == states && !handed_off
    end
  end

  def test_who_holds_the_gvl_in_c_and_who_waits_for_it
    start(<<~'RUBY')
      thread("Sleeps") { sleep }
      thread("Waits") { Thread.pass while true }
      holds = Queue.new
      thread("Holds") do
        holds.pop
        $stdout.syswrite("holds\n")
        GvlWork.hold(LONG_NS)
      end
      holds << true
      sleep
    RUBY
    units, state = wait_for("Sleeps" => :idle, "Waits" => :gvl, "Holds" => :running)
    holder = units.fetch("Holds")
    assert_equal ["Holds", holder.thread], [state.holder_name, state.holder_thread]
    assert_equal %w[Holds], units.values.select(&:holder).map(&:name)
    units.each_value do |unit|
      assert_operator unit.since_ns, :<=, unit.seen_ns
      assert_operator unit.since_ns, :>=, unit.started_ns
    end
    assert_operator state.held_since_ns, :<=, state.seen_ns
    goes_on(holder, state)
  end

  # It looks again and again, and the hold stays the same one.
  def goes_on(holder, state)
    later, state_then = wait_until do
      units, now = read
      unit = units.find { |one| one.name == holder.name }
      [unit, now] if unit && unit.seen_ns > holder.seen_ns && now.seen_ns > state.seen_ns
    end
    assert_equal [:running, true], [later.state, later.holder]
    assert_equal state.held_since_ns, state_then.held_since_ns
    assert_equal holder.since_ns, later.since_ns
  end

  # Nobody wakes the thread that looks: the tick does.
  def test_a_thread_alone_in_c
    start(<<~'RUBY')
      unit("Alone")
      wait = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.3
      sleep(0.01) until Process.clock_gettime(Process::CLOCK_MONOTONIC) > wait
      PROBE.label(Thread.main, "main")
      PROBE.tick([])
      $stdout.syswrite("ticked\n")
      GvlWork.hold(LONG_NS)
    RUBY
    units, state = wait_for("Alone" => :running)
    assert_equal ["Alone", @pid], [state.holder_name, state.holder_thread]
    goes_on(units.fetch("Alone"), state)
  end

  def test_a_thread_outside_of_units_that_holds_the_gvl
    start(<<~'RUBY')
      thread("Waits") { Thread.pass while true }
      PROBE.label(Thread.main, "thread:main")
      $stdout.syswrite("holds\n")
      GvlWork.hold(LONG_NS)
    RUBY
    _, state = wait_for("Waits" => :gvl)
    assert_equal ["thread:main", @pid], [state.holder_name, state.holder_thread]
  end

  def test_a_call_and_a_wait_for_a_connection
    start(<<~'RUBY')
      thread("Known") { PROBE.begin_call(PROBE.call_kind("sql primary")) && sleep }
      thread("Unknown") { PROBE.begin_call && sleep }
      thread("Ended") do
        PROBE.begin_call(PROBE.call_kind("http a"))
        PROBE.end_call(PROBE.call_kind("http a"), false)
        sleep
      end
      thread("Connection") { PROBE::ConnectionHolds.new.wait_begins || sleep }
      $stdout.syswrite("begun\n")
      loop do
        PROBE.tick([])
        sleep(0.1)
      end
    RUBY
    units, = wait_for("Known" => :call, "Unknown" => :call, "Ended" => :idle, "Connection" => :connection)
    assert_equal({"Known" => "sql primary", "Unknown" => nil, "Ended" => nil, "Connection" => nil},
      units.transform_values(&:call))
  end

  def test_where_a_unit_was_sampled_last
    start(<<~'RUBY')
      thread("Waits") { Thread.pass while true }
      unit("Holds")
      $stdout.syswrite("holds\n")
      GvlWork.hold(20_000_000) while true
    RUBY
    # A busy machine may have taken the CPU away in any line before.
    place = wait_until do
      read.first.find { |unit| unit.name == "Holds" }&.place.then { |last| last if last&.include?(" | ") }
    end
    assert_match(/\A-e:\d+ <main> \| (?:GvlWork\.hold|\(native C\)|IO#syswrite)\z/, place)
  end

  # A fiber's turn is its thread's state; what the others wait for is not known.
  def test_units_of_fibers_of_one_thread
    start(<<~'RUBY')
      PROBE.follow_fibers(true)
      thread("Waits") { Thread.pass while true }
      parked = Fiber.new do
        unit("Parked")
        Fiber.yield
      end
      parked.resume
      unit("Turn")
      $stdout.syswrite("holds\n")
      GvlWork.hold(LONG_NS)
    RUBY
    units, state = wait_for("Waits" => :gvl, "Parked" => :idle, "Turn" => :running)
    assert_equal [nil, false], [units.fetch("Parked").since_ns, units.fetch("Parked").holder]
    assert_equal "Turn", state.holder_name
  end

  def test_a_forked_child_has_its_own
    start(<<~'RUBY')
      thread("Parent") { sleep }
      sleep(0.01) until PROBE.snapshot[:units_in_flight] == 1
      fork do
        PROBE.after_fork
        PROBE.enable
        PROBE.open_segment(ARGV.first + "-child", 32, 64, nil, 0)
        PROBE.sample_holds(10_000_000)
        thread("Waits") { Thread.pass while true }
        unit("Child")
        parent = Process.ppid
        $stdout.syswrite("#{Process.pid}\n")
        GvlWork.hold(100_000_000) while Process.ppid == parent
      end
      sleep
    RUBY
    units = wait_until do
      found = Holdup::Segment::Reader.open("#{path}-child", &:open_units)
      found if found.size == 2 && found.all?(&:state)
    end
    assert_equal %w[Child Waits], units.map(&:name).sort
    assert_equal %w[Parent], read.first.map(&:name)
  end
end
