# frozen_string_literal: true

require "native/native_helper"
require "holdup/segment/reader"

# The books of units on fibers: every tick is in exactly one place, under stress too.
class FiberBooksTest < NativeTest
  # Many fibers on each of several threads, whose units nest, end out of order, start fibers and wait in every
  # way.
  STRESS = <<~RUBY
    Holdup::Probe.follow_fibers(true)
    Holdup::Probe.enable
    Holdup::Probe.label(Thread.main, "main")
    WORK = [
      -> { GvlWork.hold(30_000) },
      -> { GvlWork.wait(50_000) },
      -> { GvlWork.release(3) },
      -> { Thread.pass },
      -> { sleep(0.0001) },
      -> { "x" * 1000 }
    ].freeze

    def request(random, finish)
      handles = [Holdup::Probe.enter]
      children = []
      random.rand(3..8).times do
        WORK.sample(random: random).call
        case random.rand(6)
        when 0 then handles << Holdup::Probe.enter
        when 1 then children << Fiber.new { 2.times { GvlWork.hold(20_000) || Fiber.yield } }.tap(&:resume)
        when 2 then finish.call(handles.delete_at(random.rand(handles.size))) if handles.size > 1
        when 3 then children.each { |child| child.resume if child.alive? }
        else Fiber.yield
        end
      end
      handles.shuffle(random: random).each(&finish)
    end

    def loop_of(count, rounds, random, finish)
      fibers = []
      rounds.times do
        fibers.select!(&:alive?)
        fibers << Fiber.new { request(random, finish) } while fibers.size < count
        fibers.shuffle(random: random).each(&:resume)
      end
      fibers.each { |fiber| fiber.resume while fiber.alive? }
    end
  RUBY

  # What units counted twice is taken off; then units, accounts and hand-off are all that there was, and no
  # more.
  def test_counts_all_time_exactly_once
    Dir.mktmpdir do |folder|
      output = fresh_ruby(STRESS + <<~RUBY)
        Holdup::Probe.open_segment("#{folder}/segment", 50, 64, nil, 0)
        finish = ->(handle) { Holdup::Probe.record(handle, 1, "GET /", nil, nil, false) }
        threads = Array.new(3) { |seed| Thread.new { loop_of(12, 60, Random.new(seed), finish) } }
        threads << Thread.new { 300.times { GvlWork.hold(40_000); sleep(0.0001) } }
        threads.each(&:join)
        sleep 0.01 while Holdup::Probe.snapshot[:waiting_threads] > 0
        Holdup::Probe.tick([])
        keys = %i[identity_ticks discarded abandoned units_in_flight]
        puts Holdup::Probe.snapshot.values_at(*keys).join(" ")
      RUBY
      assert_equal "0 0 0 0", output.chomp
      assert_books Holdup::Segment::Reader.open("#{folder}/segment", gone: true, &:snapshot)
    end
  end

  def test_the_collector_of_garbage_may_come_at_any_moment
    output = fresh_ruby(STRESS + <<~RUBY)
      GC.stress = true
      loop_of(3, 4, Random.new(1), ->(handle) { Holdup::Probe.finish(handle) })
      GC.stress = false
      if GC.respond_to?(:verify_compaction_references)
        GC.verify_compaction_references(expand_heap: true, toward: :empty)
      end
      loop_of(3, 10, Random.new(2), ->(handle) { Holdup::Probe.finish(handle) })
      puts Holdup::Probe.snapshot.values_at(:identity_ticks, :units_in_flight).join(" ")
    RUBY
    assert_equal "0 0", output.lines.last.chomp
  end

  # An interrupt that raises in the moment of a switch takes its event away.
  def test_switches_that_are_interrupted
    output = fresh_ruby(STRESS + <<~RUBY)
      stopped = Class.new(StandardError)
      thread = Thread.new do
        200.times do |seed|
          loop_of(4, 20, Random.new(seed), ->(handle) { Holdup::Probe.finish(handle) })
        rescue stopped
          next
        end
      end
      thread.report_on_exception = false
      100.times { thread.raise(stopped) if thread.alive?; sleep(0.002) }
      thread.join rescue nil
      sleep 0.01 while Holdup::Probe.snapshot[:waiting_threads] > 0
      inside = Array.new(2) { Fiber.new { measured { 3.times { GvlWork.hold(5_000_000); Fiber.yield } } } }
      units = nil
      4.times { units = inside.map(&:resume) }
      puts Holdup::Probe.snapshot[:identity_ticks], units.map(&:cpu_ns).join(" ")
    RUBY
    ticks, works = output.lines.last(2)
    assert_equal 0, ticks.to_i
    works.split.each { |work| assert_in_delta 1.0, work.to_i / 15.0 / MS, 0.2 }
  end

  def test_in_a_fork
    output = fresh_ruby(STRESS + <<~RUBY)
      Fiber.new do
        outer = Holdup::Probe.enter
        pid = fork do
          Holdup::Probe.after_fork
          Holdup::Probe.enable
          loop_of(3, 5, Random.new(1), ->(handle) { Holdup::Probe.finish(handle) })
          finished = Holdup::Probe.finish(outer).inspect
          puts finished, Holdup::Probe.snapshot.values_at(:identity_ticks, :units_in_flight).join(" ")
        end
        Process.wait(pid)
        puts Holdup::Probe.finish(outer).size
      end.resume
    RUBY
    assert_equal ["nil", "0 0", Holdup::Measurement.members.size.to_s], output.lines(chomp: true)
  end

  # As in extension/vm_test: interpreted instructions of a warm method, in fibers that switch.
  def test_yjit_stays_effective
    skip "this Ruby counts no interpreted instructions" unless interpreted_instructions_counted?
    output = fresh_ruby(<<~RUBY, options: ["--yjit"])
      def leaf(x) = (y = x * 3 + 1
        y - x)
      def mid(n) = (s = 0
        n.times { |i| s += leaf(i) }
        s)
      Holdup::Probe.follow_fibers(true)
      Holdup::Probe.enable
      Fiber.new { measured { Fiber.new { GvlWork.release(1) }.resume } }.resume
      300.times { mid(20) }
      before = RubyVM::YJIT.runtime_stats[:vm_insns_count]
      100.times { mid(20) }
      puts((RubyVM::YJIT.runtime_stats[:vm_insns_count] - before) / 2000.0)
    RUBY
    assert_operator output.to_f, :<, 5
  end

  private

  def assert_books(snapshot)
    nested, counted = snapshot.slots.compact.partition { |slot| slot.series.kind == :nested }
    assert_operator nested.sum(&:count), :>, 0
    sums = %i[running stalled].to_h { |name|
      [name, counted.sum { |slot| slot.histogram(name).sum } - nested.sum { |slot| slot.histogram(name).sum }]
    }
    counted_ns = counted.sum { |slot| slot.named_sums[:caused_ns] }
    caused = counted_ns - nested.sum { |slot| slot.named_sums[:caused_ns] }
    running, stalled, handoff = snapshot.counters.values_at(:running_ns, :stalled_ns, :handoff_ns)
    assert_in_delta 1.0, sums[:running].fdiv(running), 0.0001
    assert_in_delta 1.0, sums[:stalled].fdiv(stalled), 0.0001
    assert_in_delta 1.0, (caused + handoff).fdiv(stalled), 0.0001
  end
end
