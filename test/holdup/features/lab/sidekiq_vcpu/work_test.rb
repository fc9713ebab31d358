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

  # Of five moments the median: a busy host computes faster in one than in the next.
  def test_takes_about_the_time_that_was_asked_for
    taken = Array.new(5) do
      rounds = Work.rounds_for(0.1)
      cpu_s { Work.run(rounds) }
    end
    assert_includes 0.03..0.4, taken.sort[2]
  end

  # By a clock on which 100 rounds take 40 ms.
  def test_ten_times_the_time_takes_ten_times_the_rounds
    rounds = [0.1, 1.0].map do |seconds|
      readings = (0..).lazy.flat_map { |doubled| [0.0, 0.04 * 2**doubled] }.each_entry
      Work.rounds_for(seconds, clock: -> { readings.next })
    end
    assert_equal [250, 2_500], rounds
  end
end
