# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::SidekiqVcpu::WorkTest < Minitest::Test
  Work = Holdup::Lab::SidekiqVcpu::Work

  def cpu_s
    started = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    yield
    Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - started
  end

  def test_is_always_the_same
    assert_equal Work.run(50), Work.run(50)
    refute_equal Work.run(50), Work.run(51)
  end

  def test_allocates_no_object_for_each_round
    made = ->(rounds) {
      GC.stat(:total_allocated_objects).then { |before|
        Work.run(rounds) && GC.stat(:total_allocated_objects) - before
      }
    }
    made.call(1)
    assert_equal made.call(1), made.call(500)
  end

  # To an order of magnitude: a busy host computes several times as fast in one moment as in the next, and in
  # some processes YJIT lets the same rounds take four times as long as those that were counted.
  def test_takes_about_the_time_that_was_asked_for
    taken = Array.new(5) { cpu_s { Work.run(Work.rounds_for(0.05)) } }
    assert_includes 0.1..10.0, taken.sort[2] / 0.05
    rounds = [0.05, 0.2].map { |seconds| Array.new(5) { Work.rounds_for(seconds) }.sort[2] }
    assert_operator rounds.last, :>, rounds.first
  end
end
