# frozen_string_literal: true

require "test_helper"
require "holdup/clock"
require "holdup/web"

class Holdup::Web::LineTest < Minitest::Test
  S = 1_000_000_000

  def setup
    @clock = HandClock.new
    @line = Holdup::Web::Line.new(clock: @clock)
    @gate = Queue.new
    @begun = []
  end

  def teardown = @gate.close

  def join(asked)
    @line.join(asked) do
      @begun << asked
      @gate.pop
      asked
    end
  end

  # The one that is worked out, to its end.
  def finish(thread)
    @gate << true
    thread.join
  end

  def test_one_after_the_other_in_their_order
    first = join("a")
    assert_equal [1, 2, 1, 2], %w[b c b c].map { |asked| join(asked) }
    finish(first)
    assert_equal 1, join("c"), "the one before it has begun by that"
    second = join("b")
    assert_instance_of Thread, second
    finish(second)
    finish(join("c"))
    assert_equal %w[a b c], @begun
  end

  def test_the_same_question_is_worked_out_once_and_kept_for_who_comes_for_it
    assert_same join("a"), join("a")
    finish(join("a"))
    assert_equal "a", join("a").value
    @line.leave("a")
    finish(join("a"))
    assert_equal %w[a a], @begun
  end

  def test_so_many_may_wait
    first = join("a")
    waiting = Array.new(Holdup::Web::Line::ROOM) { |index| join("w#{index}") }
    assert_equal [1, 2, 3, 4, nil, 4], [*waiting, join("more"), join("w3")]
    finish(first)
    assert_equal [3, 4], [join("w3"), join("more")], "there is room again"
  end

  def test_who_has_left_is_not_worked_for
    first = join("a")
    join("left")
    join("stays")
    @clock.monotonic_ns += (Holdup::Web::Line::LEFT_S - 1) * S
    assert_equal 2, join("stays")
    @clock.monotonic_ns += 2 * S
    assert_equal 1, join("stays")
    finish(first)
    finish(join("stays"))
    assert_equal %w[a stays], @begun
  end

  # Not what is still under way: it would begin anew at each look.
  def test_an_answer_that_nobody_came_for_is_forgotten
    first = join("a")
    late = -> { @clock.monotonic_ns += (Holdup::Web::Line::KEPT_S + 1) * S }
    late.call
    assert_equal 1, join("b")
    assert_same first, join("a")
    finish(first)
    late.call
    finish(join("b"))
    refute_same first, join("a")
  end
end
