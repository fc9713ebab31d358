# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/jit"

class Holdup::Jit::EffectivenessMonitorTest < Minitest::Test
  def setup
    @clock = HandClock.new
    @answers = []
    @asked = 0
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: @clock)
    @verdict = Holdup::Jit::EffectivenessMonitor.new(
      effectiveness: ->(_state) { (@asked += 1) && @answers.shift }, guard:, clock: @clock
    )
  end

  def see(seconds = 0, thrown_away: nil, kind: :yjit)
    @clock.monotonic_ns += seconds * 1_000_000_000
    invalidations = {everything: thrown_away} if thrown_away
    @verdict.observe(Holdup::Jit::Snapshot.new(kind:, invalidations:))
    @verdict.effective
  end

  def test_each_minute_since_a_tracer_may_come_late
    @answers = [true, false]
    assert_equal [true, true, true, false], [see, see(30), see(29), see(1)]
    assert_equal 2, @asked
  end

  def test_at_once_when_all_code_was_thrown_away
    @answers = [true, true, false]
    assert_equal [true, true, true, false],
      [see(thrown_away: 1), see(1, thrown_away: 1), see(1, thrown_away: 2), see(1, thrown_away: 3)]
    assert_equal 3, @asked
  end

  def test_keeps_the_last_known_result
    @answers = [true, nil]
    assert_equal [true, true], [see, see(60)]
  end

  def test_a_fork_is_looked_at_by_itself
    @answers = [true, nil]
    see
    @verdict.after_fork
    assert_nil see
  end

  def test_not_while_it_is_off
    assert_nil see(kind: :off)
    assert_equal 0, @asked
  end
end
