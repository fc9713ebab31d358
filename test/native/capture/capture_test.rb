# frozen_string_literal: true

require "native/native_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# A capture's events, played again, give the probe's own sums to the tick, whatever the threads do meanwhile.
class CaptureNativeTest < NativeTest
  include SmallFileSystem

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
    at_exit { FileUtils.rm_rf(FOLDER) }
    FILE = File.join(FOLDER, "events")
    STACKS = 100_000 # ns that somebody waits, so that there are many
    WORK = [
      -> { GvlWork.hold(50_000) },
      -> { sleep(0.0002) },
      -> { GvlWork.release(3) },
      -> { Thread.pass },
      -> { Mutex.new.synchronize { GvlWork.hold(5_000) } },
      -> { (q = Queue.new) << 1; q.pop },
      -> { GvlWork.wait(100_000) }
    ].freeze
    def work(threads = 5, rounds = 60, seed = 0)
      shared = Mutex.new
      Array.new(threads) do |i|
        Thread.new do
          random = Random.new(seed + i)
          alone = -> { shared.synchronize { GvlWork.hold(20_000) } }
          Array.new(rounds) do
            measured { (random.rand(4) > 0) ? WORK.sample(random: random).call : alone.call }
          end
        end
      end.flat_map(&:value)
    end
    def settle = (sleep 0.01 while P.snapshot[:waiting_threads] > 0)
    P.enable
  RUBY

  def test_threads_add_up_to_the_tick_and_so_does_each_unit
    assert_equal ["", "true", "true"], capture(<<~RUBY).lines(chomp: true)
      P.open_segment(File.join(FOLDER, "segment"), 10, 64, nil, 0)
      P.open_capture(FILE, 100_000, 0, 0, STACKS)
      units = work
      P.record(P.enter, 2, "ReportJob", "low", nil, true)
      settle
      P.close_capture
      puts Captured.disagreement(FILE)
      recording = Captured.read(FILE)
      replay = Holdup::Captures::Timeline::EventReplay.new(recording).call
      inside = lambda do |unit, state|
        spans = unit.lane.spans.select { |span| span.state == state }
        spans.select { |span| span.from >= unit.from && span.to <= unit.to }.sum(&:length)
      end
      captured = replay.units.select(&:whole?).map do |unit|
        ticks = [inside.(unit, :running), inside.(unit, :stalled), unit.caused]
        ticks.map { |each| recording.header.ns(each) }
      end
      expected = units.map { |unit| [unit.running_ns, unit.stalled_ns, unit.caused_ns] }
      puts (expected - captured).empty? && captured.size == units.size + 1
      job = replay.units.last
      puts [job.name, job.queue, job.job, job.failed] == ["ReportJob", "low", true, true]
    RUBY
  end

  def test_threads_that_share_native_threads_add_up
    assert_equal "", capture(<<~RUBY, env: {"RUBY_MN_THREADS" => "1"}).chomp
      P.open_capture(FILE, 100_000, 0, 0, STACKS)
      work
      settle
      P.close_capture
      puts Captured.disagreement(FILE)
    RUBY
  end

  RACTORS = <<~RUBY
    P.open_capture(FILE, 100_000, 0, 0, STACKS)
    ractors = Array.new(2) do
      Ractor.new do
        turn = -> { GvlWork.hold(100_000); Thread.pass; GvlWork.release(2) }
        threads = Array.new(2) { Thread.new { 60.times { turn.call } } }
        threads.each(&:join)
      end
    end
    20.times { GvlWork.hold(100_000); sleep(0.001) }
    sleep 0.01 while P.snapshot[:threads] > 1
    P.close_capture
    replay = Holdup::Captures::Timeline::EventReplay.new(Captured.read(FILE)).call
    puts Captured.disagreement(FILE), replay.ledgers.size
  RUBY

  # The probe counts a run of another Ractor when that run ends, so the capture waits for the last thread of
  # each. Ractor#take returns before that. Threads of a Ractor share native threads by themselves.
  def test_ractors_add_up_each_by_its_own_lock
    assert_equal ["", "3"], capture(RACTORS).lines(chomp: true)
  end

  def test_ractors_add_up_where_all_threads_share_native_threads
    assert_equal ["", "3"], capture(RACTORS, env: {"RUBY_MN_THREADS" => "1"}).lines(chomp: true)
  end

  def test_a_fork_is_marked_and_the_child_writes_none_of_its_parents_events
    assert_equal ["", "2", "true", ""], capture(<<~RUBY).lines(chomp: true)
      P.open_capture(FILE, 100_000, 0, 0, STACKS)
      children = 2.times.map do |i|
        work(2, 10, i)
        fork do
          P.after_fork
          P.enable
          exit!(2) if P.capturing?
          P.open_capture(FILE + i.to_s, 2_000, 0, 0, STACKS)
          work(2, 10, i)
          settle
          P.close_capture
          exit!(Captured.disagreement(FILE + i.to_s).empty? ? 0 : 1)
        end
      end
      ended = children.map { |pid| Process.wait2(pid).last.success? }
      settle
      P.close_capture
      replay = Holdup::Captures::Timeline::EventReplay.new(Captured.read(FILE)).call
      forks = replay.marks.count { |mark, _| mark == :fork }
      puts Captured.disagreement(FILE), forks, ended.all?
      puts Captured.disagreement(FILE + "0")
    RUBY
  end

  def test_garbage_collections_are_in_it_and_stress_changes_nothing
    assert_equal ["", "true"], capture(<<~RUBY).lines(chomp: true)
      P.open_capture(FILE, 100_000, 0, 0, STACKS)
      GC.stress = true
      work(2, 3)
      GC.stress = false
      settle
      P.close_capture
      replay = Holdup::Captures::Timeline::EventReplay.new(Captured.read(FILE)).call
      puts Captured.disagreement(FILE), replay.collections.size > 10
    RUBY
  end

  def test_fibers_take_turns
    assert_equal ["", "true"], capture(<<~RUBY).lines(chomp: true)
      P.follow_fibers(true)
      P.open_capture(FILE, 20_000, 0, 0, STACKS)
      unit = lambda do
        handle = P.enter
        3.times { GvlWork.hold(20_000); Fiber.yield }
        P.finish(handle)
        nil
      end
      fibers = Array.new(3) { Fiber.new(&unit) }
      4.times { fibers.each { |fiber| fiber.resume if fiber.alive? } }
      P.close_capture
      puts Captured.disagreement(FILE)
      units = Holdup::Captures::Timeline::EventReplay.new(Captured.read(FILE)).call.units
      spans = ->(unit) { unit.lane.spans.count { |span| span.unit == unit.number } }
      puts units.size == 3 && units.all? { |unit| unit.fibers && spans.(unit) >= 3 }
    RUBY
  end

  # The ring is as long as it is: the events that are left are read, and what they tell is whole.
  def test_the_oldest_events_give_way
    kept, overwritten, whole = capture(<<~RUBY).split
      P.open_capture(FILE, 1_000, 0, 0, STACKS)
      work(3, 400)
      settle
      P.close_capture
      recording = Captured.read(FILE)
      replay = Holdup::Captures::Timeline::EventReplay.new(recording).call
      whole = replay.lanes.all? { |lane| lane.spans.sum(&:length) == recording.length_ticks }
      puts recording.events.size, recording.header.overwritten, whole
    RUBY
    assert_equal "1024", kept
    assert_operator overwritten.to_i, :>, 1000
    assert_equal "true", whole
  end

  # Two units stall beside a hog: the first that stalled longer than a hundredth of what it did ends the
  # waiting.
  def test_the_first_unit_that_is_waited_for_is_kept_in_mind
    assert_equal %w[false true GET\ /light], capture(<<~RUBY).lines(chomp: true)
      P.open_segment(File.join(FOLDER, "segment"), 10, 64, nil, 0)
      P.open_capture(FILE, 10_000, 1_000_000, 0)
      P.record(P.enter, 1, "GET /alone", nil, nil, false)
      puts P.caught?
      hog = Thread.new { GvlWork.hold(50_000_000) }
      handle = P.enter
      GvlWork.release(1) while hog.alive?
      P.record(handle, 1, "GET /light", nil, nil, false)
      P.record(P.enter, 1, "GET /after", nil, nil, false)
      puts P.caught?
      P.close_capture
      puts Holdup::Captures::Timeline::Scene.new(Captured.read(FILE)).caught.name
    RUBY
  end

  # The table of threads marks those that have ended, so that they do not look idle.
  def test_the_dead_are_absent
    assert_equal "true", capture(<<~RUBY).chomp
      P.open_capture(FILE, 1_000, 0, 0, STACKS)
      dead = Thread.new { P.name_captured(Thread.current, "dead") }.join
      work(2, 400)
      settle
      P.close_capture
      lanes = Holdup::Captures::Timeline::EventReplay.new(Captured.read(FILE)).call.lanes
      puts lanes.find { |lane| lane.name == "dead" }.spans.last.state == :absent
    RUBY
  end

  def test_what_a_killed_process_had_written_can_be_read
    pid, state, events, units, stacks = capture(<<~RUBY).split
      child = fork do
        P.after_fork
        P.enable
        P.open_capture(FILE, 100_000, 0, 0, STACKS)
        Thread.new { work(3, 10_000) }
        written = lambda do
          head = File.binread(FILE, 4096)
          head && head.unpack1("Q<", offset: 64) > 2_000 &&
            Holdup::Capture::Header.parse(head, path: FILE).stacks.taken > 3
        end
        GvlWork.hold(1_000_000) until written.call
        Process.kill(:KILL, Process.pid)
      end
      status = Process.wait2(child).last
      recording = Captured.read(FILE)
      units = Holdup::Captures::Timeline::EventReplay.new(recording).call.units
      puts status.termsig, recording.header.closed?, recording.events.size > 100, units.count(&:whole?) > 10
      taken = recording.events.select { |event| event.kind.start_with?("stack") }
      stacks = taken.filter_map { |event| recording.stacks.of(event) }
      puts stacks.all? { |stack| recording.stacks.frames(stack).any? }
    RUBY
    assert_equal %w[9 false true true true], [pid, state, events, units, stacks]
  end

  def test_a_thousand_captures_under_load
    assert_equal %w[1000 0 true], capture(<<~RUBY).split
      stop = false
      load = Array.new(3) { |i| Thread.new { work(1, 2, i) until stop } }
      made = 1000.times.count do |i|
        opened = P.open_capture(FILE, 1_000, 0, 0, (i % 4 == 1) ? STACKS : 0)
        Thread.new { GvlWork.release(1) }.join
        GC.stress = true if i % 100 == 0
        Array.new(3) { "x" * 10 }
        GC.stress = false
        Process.wait(LivingChild.fork { exit!(0) }) if i % 100 == 50
        opened && P.close_capture
      end
      stop = true
      load.each(&:join)
      settle
      puts made, P.snapshot[:identity_ticks], !P.capturing?
    RUBY
  end

  def test_one_at_a_time_and_only_while_measuring
    assert_equal %w[true false nil false], capture(<<~RUBY).split
      puts P.open_capture(FILE, 1_000, 0, 0), P.open_capture(FILE + "2", 1_000, 0, 0)
      P.close_capture
      p P.close_capture
      P.disable
      puts P.open_capture(FILE, 1_000, 0, 0)
    RUBY
  end

  def test_a_full_or_missing_folder_is_an_error_and_the_capture_is_off
    Dir.mktmpdir do |folder|
      assert_raises(Errno::ENOENT) { Probe.open_capture(File.join(folder, "none/file"), 1_000, 0, 0) }
      refute Probe.capturing?
      assert_raises(ArgumentError) { Probe.open_capture(File.join(folder, "file"), 1 << 40, 0, 0) }
      assert_empty Dir.children(folder)
      taken = File.join(folder, "taken")
      Dir.mkdir(taken)
      assert_raises(Errno::EISDIR) { Probe.open_capture(taken, 1_000, 0, 0) }
      assert_equal ["taken"], Dir.children(folder)
    end
  end

  # Segments grow on the same tmpfs.
  def test_leaves_room_for_segments_on_a_small_tmpfs
    on_tmpfs("size=12m") do |folder|
      file = File.join(folder, "events")
      assert_raises(Errno::ENOSPC) { Probe.open_capture(file, 200_000, 0, 0) }
      assert_empty Dir.children(folder)
      assert Probe.open_capture(file, 50_000, 0, 0)
      Probe.close_capture
    end
  end

  private

  def capture(script, env: {})
    fresh_ruby(script, env:, prelude: PRELUDE)
  end
end
