# frozen_string_literal: true

require "native/native_helper"
require "tmpdir"

# What the probe keeps of threads is gone when they are: while it measures, after it has stopped, and over any
# number of starts and stops.
class RegistryTest < NativeTest
  # `living`: threads that the probe keeps something of; `short`: threads that end at once
  SCRIPT = <<~RUBY
    Probe = Holdup::Probe
    def short(count) = count.times { Thread.new { nil }.join }
    def sizes = Probe.sizes.values_at(:clocks, :ledgers)
    def say = puts(sizes.join(" "))
    Probe.enable
  RUBY

  def test_threads_that_start_and_end_while_it_is_off_leave_nothing
    assert_equal [[1, 1], [1, 1]], sizes(<<~RUBY)
      Probe.disable
      short(100)
      say
      short(2_000)
      say
    RUBY
  end

  def test_a_thread_that_ends_while_it_is_off_is_forgotten_at_the_next_start_of_a_thread
    assert_equal [[31, 1], [1, 1]], sizes(<<~RUBY)
      stop = Queue.new
      living = Array.new(30) { Thread.new { stop.pop } }
      say
      Probe.disable
      stop.close
      living.each(&:join)
      2.times { short(1) }
      say
    RUBY
  end

  def test_a_thread_that_starts_while_it_is_off_is_measured_once_it_is_on
    assert_equal [[1, 1], [31, 1], [1, 1]], sizes(<<~RUBY)
      Probe.disable
      stop = Queue.new
      living = Array.new(30) { Thread.new { stop.pop; measured { GvlWork.hold(100_000) } } }
      say
      Probe.enable
      say
      stop.close
      abort "not measured" unless living.map(&:value).all? { |unit| unit.running_ns >= 100_000 }
      Probe.tick([])
      say
    RUBY
  end

  def test_any_number_of_starts_and_stops_leaves_nothing
    assert_equal [[1, 1]] * 3, sizes(<<~RUBY)
      3.times do
        50.times do
          stop = Queue.new
          on = Thread.new { stop.pop }
          Probe.disable
          off = Thread.new { stop.pop }
          Probe.enable
          short(3)
          stop.close
          [on, off].each(&:join)
          Probe.disable
          short(3)
          Probe.enable
        end
        Probe.tick([])
        say
      end
    RUBY
  end

  # A process that is never ticked (its ticker has been let go, or ticks seldom) keeps only so many.
  def test_threads_between_two_ticks_are_bounded
    clocks, = sizes("short(3_000); say").first
    assert_operator clocks, :<=, 300
  end

  def test_the_thread_that_stopped_it_may_end
    assert_equal [[1, 1]], sizes(<<~RUBY)
      Thread.new { Probe.disable }.join
      2.times { short(1) }
      say
    RUBY
  end

  def test_threads_of_a_child_leave_nothing
    %w[on off].each do |state|
      assert_equal [[1, 1], [1, 1]], sizes(<<~RUBY), "forked while it was #{state}"
        stop = Queue.new
        living = Array.new(10) { Thread.new { stop.pop } }
        Probe.disable if #{state == "off"}
        pid = fork do
          short(500) # before it is armed again
          Probe.after_fork
          short(500)
          Probe.enable
          short(500)
          Probe.tick([])
          say
          Probe.disable
          short(500)
          say
        end
        Process.wait(pid)
        abort "the child failed" unless $?.success?
      RUBY
    end
  end

  def test_ractors_leave_nothing
    rounds = sizes(<<~RUBY)
      value = ->(ractor) { ractor.respond_to?(:value) ? ractor.value : ractor.take }
      round = lambda do |count|
        count.times { value.call(Ractor.new { 3.times { Thread.new { nil }.join } }) }
        sleep 0.001 while Ractor.count > 1
        Probe.tick([])
        short(1)
        say
      end
      2.times { round.call(100) }
      Probe.disable
      2.times { round.call(100) }
      Probe.enable
      round.call(10)
    RUBY
    rounds.each { |clocks, ledgers| assert_operator [clocks - 1, ledgers - 1].max, :<=, 2, rounds.to_s }
  end

  # It was not there when measuring began, and its first unit gives it a ledger of its own.
  def test_a_ractor_that_started_while_it_was_off_is_measured_apart
    output = fresh_ruby(SCRIPT + <<~RUBY)
      Probe.disable
      ractor = Ractor.new do
        Ractor.receive
        threads = Array.new(2) do
          Thread.new do
            handle = Holdup::Probe.enter
            200_000.times { nil }
            Holdup::Probe.finish(handle)
          end
        end
        handle = Holdup::Probe.enter
        200_000.times { nil }
        [Holdup::Probe.finish(handle), *threads.map(&:value)].map { |unit| unit && unit[0] }
      end
      Probe.enable
      ractor.send(:go)
      units = ractor.respond_to?(:value) ? ractor.value : ractor.take
      puts units.all? { |wall| wall.to_i.positive? }, sizes[1], Probe.snapshot[:identity_ticks]
    RUBY
    assert_equal %w[true 2 0], output.split
  end

  def test_stopping_in_a_capture_leaves_nothing
    Dir.mktmpdir("holdup", "/dev/shm") do |folder|
      assert_equal [[1, 1]] * 2, sizes(<<~RUBY)
        2.times do |turn|
          20.times do |i|
            Probe.open_capture("#{folder}/\#{turn}-\#{i}", 1024, 0, 0)
            short(20)
            stop = Queue.new
            inside = Thread.new { stop.pop }
            Probe.disable if i.odd?
            short(20)
            Probe.close_capture
            stop.close
            inside.join
            short(2)
            Probe.enable
          end
          Probe.tick([])
          say
        end
      RUBY
    end
  end

  # 60,000 clocks have 80 MiB.
  def test_the_memory_of_the_process_stays
    grown = fresh_ruby(SCRIPT + <<~RUBY).to_i
      rss = -> { File.read("/proc/self/status")[/VmRSS:\\s+(\\d+)/, 1].to_i }
      Probe.disable
      short(20_000)
      GC.start
      before = rss.call
      short(60_000)
      GC.start
      puts rss.call - before
    RUBY
    assert_operator grown, :<, 16 * 1024
  end

  private

  # @return [Array<Array<Integer>>] clocks and ledgers, as often as the script says them
  def sizes(script, **)
    fresh_ruby(SCRIPT + script, **).lines.map { |line| line.split.map { |number| Integer(number) } }
  end
end
