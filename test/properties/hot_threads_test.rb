# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# A thread that gives the GVL back may take it again before a thread that waited for longer: a "hot" thread,
# as Ruby 4.1 schedules. Scripted traces of such a scheduler, replayed, against sums that are counted tick by
# tick.
class HotThreadsTest < Minitest::Test
  THREADS = 4
  STEPS = 60
  # Its events come last, so that every hold before is closed.
  LAST = THREADS + 1

  # A scheduler that does anything that the events allow, and knows of each tick what each thread did.
  class Scheduler
    attr_reader :ring, :now

    # @param hot [Float] how often a thread takes the GVL back at once
    def initialize(seed, hot:)
      @random = Random.new(seed)
      @hot = hot
      @ring = EventRing.new(threads: (1..LAST).to_h { |number| [number, "thread #{number}"] })
      @states = (1..LAST).to_h { |number| [number, :idle] }
      @now = 0
      @ticks = []
      @states.each_key { |number| @ring.idle(number) }
    end

    def run
      STEPS.times { step }
      finish
      self
    end

    # @return [Hash{Integer => Hash{Symbol => Integer}}] ticks of each thread by state, and what it caused
    def sums
      @states.keys.to_h do |number|
        states = @ticks.map { |tick| tick.fetch(number) }.tally
        [number, {running: 0, stalled: 0, idle: 0, **states, caused: caused(number)}]
      end
    end

    # @return [Integer] ticks that threads waited while no thread had the GVL
    def handoff = waited(nil)

    private

    def caused(number) = waited(number)

    def waited(holder)
      @ticks.sum { |tick| (tick.key(:running) == holder) ? tick.values.count(:stalled) : 0 }
    end

    def holder = @states.key(:running)

    def those(state) = @states.keys.select { |number| @states[number] == state && number != LAST }

    def step
      pass(@random.rand(1..5))
      idle = those(:idle)
      return want(idle.sample(random: @random)) if idle.any? && @random.rand < 0.5
      holder ? give_back : take
    end

    # Any thread that waits may be the next: not the one that has waited for the longest.
    def take
      waiting = those(:stalled)
      resume(waiting.sample(random: @random)) if waiting.any?
    end

    def give_back
      number = holder
      suspend(number)
      return if @random.rand > @hot
      # The others still wait, and none of them has resumed.
      pass(@random.rand(0..2))
      want(number)
      pass(@random.rand(0..2))
      resume(number)
    end

    def want(number)
      @states[number] = :stalled
      @ring.ready(number, @now)
    end

    def resume(number)
      @states[number] = :running
      @ring.resumed(number, @now)
    end

    def suspend(number)
      @states[number] = :idle
      @ring.suspended(number, @now)
    end

    def pass(ticks)
      ticks.times { @ticks << @states.dup }
      @now += ticks
    end

    def finish
      while holder || those(:stalled).any?
        pass(3)
        holder ? suspend(holder) : take
      end
      pass(2)
      want(LAST)
      resume(LAST)
      pass(1)
      suspend(LAST)
    end
  end

  def test_every_tick_is_in_the_state_that_the_thread_was_in
    each_trace do |scheduler, replay, message|
      scheduler.sums.each do |number, sums|
        lane = replay.lanes.find { |one| one.number == number }
        spans = lane.spans.group_by(&:state).transform_values { |same| same.sum(&:length) }
        found = {running: 0, stalled: 0, idle: 0, **spans, caused: lane.sums[:caused]}
        assert_equal sums, found, "#{message}, thread #{number}"
      end
    end
  end

  def test_what_threads_caused_and_the_handoff_are_what_all_waited
    each_trace do |scheduler, replay, message|
      ledger = replay.ledgers.values.first
      assert_equal scheduler.handoff, ledger.handoff, message
      stalled = replay.lanes.sum { |lane| lane.sums[:stalled] }
      assert_equal stalled, replay.lanes.sum { |lane| lane.sums[:caused] } + ledger.handoff, message
    end
  end

  private

  def each_trace
    [0.0, 0.5, 0.9].each do |hot|
      60.times do |seed|
        scheduler = Scheduler.new(seed, hot:).run
        recording = scheduler.ring.recording(to: scheduler.now)
        replay = Holdup::Captures::Timeline::EventReplay.new(recording).call
        yield scheduler, replay, "hot #{hot}, seed #{seed}"
      end
    end
  end
end
