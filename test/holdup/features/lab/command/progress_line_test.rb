# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Command::ProgressLineTest < Minitest::Test
  Clock = Struct.new(:realtime_s)

  Terminal = Class.new(StringIO) do
    def tty? = true
  end

  def progress(err)
    @clock = Clock.new(1000)
    @console = Holdup::CLI::Console.new(out: StringIO.new, err:, env: {}, clock: @clock)
    Holdup::Lab::Command::ProgressLine.new(@console, words: Holdup::View::Words.new, step_s: 30)
  end

  def step(progress, number, doing, **facts)
    progress.call(number, 4, doing, arm: Holdup::Lab::Arm.new(threads: 5), **facts)
  end

  def test_a_line_for_each_new_thing_with_the_time_left
    err = StringIO.new
    progress = progress(err)
    step(progress, 1, :boot)
    2.times { |seconds| step(progress, 1, :measure, rate: 40, seconds: seconds * 1.26) }
    @clock.realtime_s += 300
    step(progress, 2, :stop)
    assert_equal ["step 1/4, x 5: booting, about 2 min left", "step 1/4, x 5: measuring at 40, 0 s, " \
      "about 2 min left", "step 2/4, x 5: stopping, about 15 min left"],
      err.string.lines(chomp: true)
  end

  def test_one_line_that_changes_on_a_terminal
    err = Terminal.new
    progress = progress(err)
    2.times { |seconds| step(progress, 1, :warm_up, seconds:) }
    @console.clear
    assert_equal 3, err.string.count("\r")
    refute_includes err.string, "\n"
    assert err.string.end_with?("\r\e[K")
  end
end
