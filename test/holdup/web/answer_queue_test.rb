# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::AnswerQueueTest < Minitest::Test
  S = 1_000_000_000
  PATIENCE_S = 30
  LEFT_S = Holdup::Web::AnswerQueue::LEFT_S

  def setup
    @clock = HandClock.new
    @queue = Holdup::Web::AnswerQueue.new(clock: @clock, room: 3)
    @gate = Queue.new
    @begun = Queue.new
    @begun_names = []
  end

  def teardown = @gate.close

  # A question that is computed until the gate opens.
  def join(key)
    @queue.join(key) do |step|
      step.call("computing #{key}")
      @begun << key
      @gate.pop
    end
  end

  def wait_for_begin
    @begun.pop(timeout: PATIENCE_S).tap { |key| @begun_names << key }
  end

  def finish(key)
    @gate << true
    @queue.await(key, PATIENCE_S)
    assert_nil @queue.place_of(key)
  end

  def test_computes_one_question_after_the_other
    assert_equal 0, join("a").ahead
    assert_equal 1, join("b").ahead
    assert_equal 2, join("c").ahead
    %w[a b c].each do |key|
      assert_equal key, wait_for_begin
      finish(key)
    end
    assert_empty @begun
  end

  def test_begins_the_next_question_without_being_asked
    join("a")
    join("b")
    wait_for_begin
    finish("a")
    assert_equal "b", wait_for_begin
  end

  def test_computes_a_question_once_that_many_threads_ask_at_once
    20.times.map { Thread.new { join("a") } }.each(&:join)
    assert_equal "a", wait_for_begin
    finish("a")
    assert_empty @begun
  end

  def test_says_what_it_does_and_for_how_long
    join("a")
    wait_for_begin
    @clock.monotonic_ns += 3 * S
    place = join("a")
    assert_equal "computing a", place.step
    assert_in_delta 3.0, place.elapsed_s
  end

  def test_refuses_more_questions_than_there_is_room_for
    join("a")
    %w[b c d].each { |key| assert join(key) }
    assert_nil join("e")
    assert_equal 3, join("d").ahead, "who waits already keeps the place"
    wait_for_begin
    finish("a")
    assert_equal 3, join("e").ahead
  end

  def test_drops_a_waiting_question_whose_clients_left
    join("a")
    join("left")
    join("stays")
    @clock.monotonic_ns += (LEFT_S - 1) * S
    %w[a stays].each { |key| join(key) }
    @clock.monotonic_ns += 2 * S
    join("a")
    assert_equal 1, join("stays").ahead
    assert_nil @queue.place_of("left")
  end

  def test_stops_an_abandoned_question_when_another_one_waits
    join("abandoned")
    wait_for_begin
    @clock.monotonic_ns += (LEFT_S + 1) * S
    join("b")
    assert_equal "b", wait_for_begin
    assert_nil @queue.place_of("abandoned")
  end

  def test_lets_an_abandoned_question_end_when_no_other_waits
    join("a")
    wait_for_begin
    @clock.monotonic_ns += (LEFT_S + 1) * S
    assert_equal 0, join("a").ahead
    finish("a")
    assert_empty @begun
  end

  def test_a_question_that_fails_does_not_stop_the_next
    @queue.join("a") { raise IOError }
    @queue.await("a", PATIENCE_S)
    join("b")
    assert_equal "b", wait_for_begin
  end

  def test_awaits_no_longer_than_its_limit
    join("a")
    @queue.await("a", 0.01)
    assert @queue.place_of("a")
  end

  # What a parent process was computing is not computed in its child.
  def test_goes_on_in_a_forked_process
    join("a")
    wait_for_begin
    reader, writer = IO.pipe
    pid = fork do
      @queue.join("b") { writer.write("computed") }
      @queue.await("b", PATIENCE_S)
      exit!(0)
    end
    writer.close
    Process.wait(pid)
    assert_equal "computed", reader.read
  end
end
