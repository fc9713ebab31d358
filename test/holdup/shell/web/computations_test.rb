# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::ComputationsTest < Minitest::Test
  S = 1_000_000_000
  SHORT_S = 0.01
  PATIENCE_S = WaitUntil::PATIENCE_S
  Computations = Holdup::Web::Computations
  AgeLimits = Holdup::Queries::KeptResults::AgeLimits
  KeptResult = Holdup::Queries::KeptResults::KeptResult

  def setup
    @clock = HandClock.new
    @computed = Queue.new
  end

  def computations(patience_s: PATIENCE_S, **options)
    @computations ||= Computations.new(clock: @clock, patience_s:, **options)
  end

  def question(name, page: "advice")
    Holdup::Queries::Question.new(command: page, arguments: {"name" => name})
  end

  def kept(name) = computations.results.find(question(name))

  def ask(question = "q", version = 1, page: "advice", **options)
    computations.ask(question(question, page:), version, **options) do
      @computed << question
      "answer to #{question}"
    end
  end

  # A question that is computed until the gate opens.
  def ask_slowly(question = "q", version = 1, page: "advice", **options)
    @gate ||= Queue.new
    computations.ask(question(question, page:), version, **options) do |step|
      step.call([:step_reading, {}])
      @computed << question
      @gate.pop
      "answer to #{question}"
    end
  end

  def teardown = @gate&.close

  def test_computes_a_question_once_and_keeps_the_answer
    3.times { assert_equal "answer to q", ask.value }
    assert_equal 1, @computed.size
  end

  def test_computes_once_what_twenty_people_ask_at_once
    found = 20.times.map { Thread.new { ask } }.map { |thread| thread.value.value }
    assert_equal ["answer to q"], found.uniq
    assert_equal 1, @computed.size
  end

  # Fewer answers are kept than that: whoever comes too late for theirs asks again, as a page does.
  def test_answers_twenty_people_who_ask_different_questions
    asking = lambda do |question|
      found = ask(question) until found.is_a?(KeptResult)
      found.value
    end
    found = 20.times.map { |number| Thread.new { asking.call("q#{number}") } }.map(&:value)
    assert_equal 20.times.map { |number| "answer to q#{number}" }, found
  end

  def test_computes_anew_when_the_store_has_changed
    ask("q", 1)
    @clock.monotonic_ns += (AgeLimits::GRACE_S + 1) * S
    ask("q", 2)
    assert_equal 2, @computed.size
  end

  # It was computed from the store as it was when the client began to wait.
  def test_answers_a_client_that_waited_even_if_the_store_changed
    computations(patience_s: SHORT_S)
    assert_kind_of Computations::Wait, ask_slowly("q", 1)
    @gate << true
    wait_until { kept("q") }
    assert_equal "answer to q", ask_slowly("q", 2).value
    assert_equal 1, @computed.size
  end

  def test_forgets_after_an_hour_and_what_was_asked_for_longest_ago
    ask("old")
    @clock.monotonic_ns += (AgeLimits::MEMORY_S + 1) * S
    ask("old")
    assert_equal 2, @computed.size
    Holdup::Queries::KeptResults::InMemory::SIZE.times { |number| ask("q#{number}") }
    assert_nil kept("old")
    assert kept("q0")
  end

  def test_looking_computes_nothing
    assert_kind_of Computations::Wait, computations.look(question("q"), 1)
    assert_empty @computed
    ask
    assert_equal "answer to q", computations.look(question("q"), 1).value
  end

  def test_tells_who_waits_how_long_it_took_the_last_time
    computations(patience_s: SHORT_S)
    computations.ask(question("first"), 1) { @clock.monotonic_ns += 8 * S }
    wait_until { kept("first") }
    ask_slowly("second")
    wait_until { @computed.size == 1 }
    @clock.monotonic_ns += 2 * S
    wait = ask_slowly("second")
    assert_equal 0, wait.ahead
    assert_in_delta 2.0, wait.elapsed_s
    assert_in_delta 8.0, wait.expected_s
    assert_in_delta 6.0, wait.rest_s
    assert_in_delta 0.25, wait.share
    assert_equal [:step_reading, {}], wait.step
  end

  def test_says_how_many_are_ahead_and_when_the_queue_is_full
    computations(patience_s: SHORT_S, room: 2)
    assert_equal 0, ask_slowly("a").ahead
    assert_equal 1, ask_slowly("b").ahead
    assert_equal 2, ask_slowly("c").ahead
    assert_predicate ask_slowly("d"), :full?
    assert_equal 0, ask_slowly("a", page: "compare").ahead, "another page has a queue of its own"
  end

  def test_asks_again_soon_but_not_all_the_time
    wait = Computations::Wait.new(ahead: 0, elapsed_s: 1.0, step: nil, expected_s: 9.0)
    assert_equal 2, wait.again_s
    assert_equal 1, wait.with(elapsed_s: 20.0).again_s
    assert_equal 5, wait.with(ahead: 9).again_s
    assert_equal 202, wait.status
    assert_equal 503, wait.with(ahead: nil).status
  end

  def test_every_waiting_request_gets_the_failure_and_a_later_one_retries
    failing = lambda do
      computations.ask(question("q"), 1) do
        @computed << "q"
        raise IOError, "broken"
      end
    end
    3.times { assert_equal "broken", assert_raises(IOError, &failing).message }
    assert_equal 1, @computed.size
    @clock.monotonic_ns += (AgeLimits::FAILED_S + 1) * S
    assert_raises(IOError, &failing)
    assert_equal 2, @computed.size
  end

  def test_a_program_waits_for_longer_than_a_page
    computations(patience_s: SHORT_S)
    program = Thread.new { ask_slowly("q", file: true) }
    wait_until { @computed.size == 1 }
    assert_kind_of Computations::Wait, ask_slowly("q")
    assert_kind_of Computations::Wait, ask_slowly("q", file: true),
      "only one program may hold a thread of the server"
    @gate << true
    assert_equal "answer to q", program.value.value
  end
end

class Holdup::Web::ComputationQueueTest < Minitest::Test
  S = 1_000_000_000
  PATIENCE_S = WaitUntil::PATIENCE_S
  LEFT_S = Holdup::Web::Computations::ComputationQueue::LEFT_S

  def setup
    @clock = HandClock.new
    @queue = Holdup::Web::Computations::ComputationQueue.new(clock: @clock, room: 3)
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
