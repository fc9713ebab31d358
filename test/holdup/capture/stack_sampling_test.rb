# frozen_string_literal: true

require "test_helper"
require "holdup/capture/stack_sampling"
require "holdup/agent/guard"

class Holdup::Capture::StackSamplingTest < Minitest::Test
  # The probe's half, the ring, a log and vernier's profiles: all of them keep what they are called with.
  class Scene
    attr_reader :elsewhere, :taken, :facts, :begun, :ended, :warned, :charged
    attr_accessor :events, :here, :free, :broken, :before_each_callback

    def initialize
      @events = 0
      @here = @free = true
      @begun = @ended = @charged = 0
      @taken = []
      @facts = []
      @warned = []
    end

    def sample_elsewhere(on)
      @elsewhere = on
      @events
    end

    def take_sample(*sample) = @taken << sample

    def charge_capture(nanoseconds)
      @charged += nanoseconds
    end

    def add_facts(facts) = @facts << facts

    def warn(text) = @warned << text

    def monotonic_ns = 0

    def here? = @here

    def free? = @free

    def before_each(&callback)
      @before_each_callback = callback
    end

    def new = self

    def title = "vernier 1.2.3"

    def cpu_ns = 1_000_000_000

    def start
      @before_each_callback.call # as vernier's does, for our own too
      raise "no thread" if @broken == :start
      @begun += 1
    end

    def stop
      @ended += 1
      raise "no memory" if @broken == :stop
      self
    end

    def call(known)
      [[Thread.current.object_id, 10, [known[["a", nil, 1]], 2], false], [0, 20, [], true],
        [0, 30, [], false]]
    end
  end

  def setup
    @scene = Scene.new
    guard = Holdup::Guard.new(log: @scene, clock: @scene)
    @sampling = Holdup::Capture::StackSampling.new(probe: @scene, guard:, profiles: @scene)
  end

  def ticks(count, events: 10)
    count.times do
      @scene.events += events
      @sampling.tick
    end
  end

  def test_vernier_samples_from_the_first_tick_on
    @sampling.begin(@scene)
    assert_equal [false, 0], [@scene.elsewhere, @scene.begun]
    ticks 1
    assert_equal [true, 1, [{"sampler" => "vernier 1.2.3"}]], [@scene.elsewhere, @scene.begun, @scene.facts]
  end

  def test_what_a_profile_saw_is_taken_with_the_next_tick_and_at_the_end
    @sampling.begin(@scene)
    ticks 2
    assert_equal [[Thread.current, 10, [["a", nil, 1], 2]], [nil, 20, []]], @scene.taken
    @sampling.finish
    assert_equal [4, 2, 2, false], [@scene.taken.size, @scene.begun, @scene.ended, @scene.elsewhere]
    assert_same @scene.taken[0].last.first, @scene.taken[2].last.first
    assert_operator @scene.charged, :>=, 2 * @scene.cpu_ns
  end

  def test_takes_no_stacks_while_threads_switch_often
    @sampling.begin(@scene)
    ticks 2, events: Holdup::Capture::StackSampling::BUSY_EVENTS
    assert_equal [0, false], [@scene.begun, @scene.elsewhere]
    ticks 1
    assert_equal 1, @scene.begun
    ticks 1, events: Holdup::Capture::StackSampling::BUSY_EVENTS
    assert_equal [1, false], [@scene.ended, @scene.elsewhere]
  end

  def test_takes_no_stacks_without_vernier_or_beside_another_profiler
    @scene.here = false
    @sampling.begin(@scene)
    ticks 1
    @scene.here = true
    @scene.free = false
    ticks 1
    assert_equal [0, [], false], [@scene.begun, @scene.facts, @scene.elsewhere]
  end

  def test_outside_of_a_capture_nothing
    ticks 1
    @sampling.finish
    @sampling.give_way
    assert_equal [nil, 0], [@scene.elsewhere, @scene.begun]
  end

  def test_ends_when_the_application_profiles_and_keeps_its_samples
    @sampling.begin(@scene)
    ticks 1
    Thread.new { @scene.before_each_callback.call }.join
    assert_equal [1, false, []], [@scene.ended, @scene.elsewhere, @scene.taken]
    ticks 2
    assert_equal [1, 2], [@scene.begun, @scene.taken.size]
  end

  def test_logs_a_failure_once_and_the_capture_continues
    %i[start stop].each do |broken|
      setup
      @scene.broken = broken
      @sampling.begin(@scene)
      ticks 5
      assert_equal [false, 1], [@scene.elsewhere, @scene.warned.size], broken
      assert_operator @scene.begun, :<=, 1
    end
  end

  def test_the_next_capture_begins_anew
    @sampling.begin(@scene)
    ticks 1
    @sampling.give_way
    @sampling.finish
    @sampling.begin(@scene)
    ticks 1
    assert_equal 2, @scene.begun
  end
end
