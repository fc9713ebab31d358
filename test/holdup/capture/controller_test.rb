# frozen_string_literal: true

require "test_helper"
require "holdup/capture/controller"

class Holdup::Capture::ControllerTest < Minitest::Test
  Request = Holdup::Capture::Request

  # The probe's half, and a clock that is moved by hand.
  class Process
    attr_reader :opened, :closed, :names, :warned
    attr_accessor :request, :rule, :caught, :room, :realtime_ns, :monotonic_ns

    def initialize
      @opened = []
      @names = []
      @warned = []
      @closed = 0
      @room = 200_000
      @realtime_ns = @monotonic_ns = 1_000_000_000_000
    end

    def read_segment(offset, _bytes)
      [{216 => @request, 224 => @rule}.fetch(offset)&.encode.to_i].pack("Q<")
    end

    def open_capture(path, events, *limits)
      raise Errno::ENOSPC if events > @room
      @limits = limits
      @opened << [path, events]
      true
    end

    attr_reader :limits

    def caught? = @caught

    def capture_complete? = @caught

    def name_captured(_thread, name) = @names << name

    def close_capture = @closed += 1

    def warn(text) = @warned << text

    def pass(seconds)
      @realtime_ns += seconds * 1_000_000_000
      @monotonic_ns += seconds * 1_000_000_000
    end

    def ask(seconds)
      @request = Request.new(asked_ms: @realtime_ns / 1_000_000, seconds:)
    end
  end

  def setup
    @process = Process.new
    @control = Holdup::Capture::Controller.new(probe: @process, segment: "/folder/12-34.segment",
      clock: @process, log: @process)
  end

  def tick(after: 1)
    @process.pass(after)
    @control.tick
  end

  def test_nothing_without_a_request
    tick
    assert_empty @process.opened
  end

  def test_captures_for_as_long_as_asked_and_names_threads_meanwhile
    @process.ask(2)
    tick
    assert_equal [["/folder/12-34.events", 200_000]], @process.opened
    assert_includes @process.names, "main"
    tick
    assert_equal 0, @process.closed
    tick
    assert_equal 1, @process.closed
  end

  def test_a_unit_that_is_waited_for_ends_it
    @process.rule = Holdup::Capture::Trigger.new(what: :wall, over_ns: 70)
    @process.ask(3600)
    tick
    assert_equal [0, 70, Holdup::Capture::Ring::STACKS_OVER_NS], @process.limits
    tick(after: 100)
    assert_equal 0, @process.closed
    @process.caught = true
    tick
    assert_equal 1, @process.closed
  end

  def test_a_request_is_served_once
    @process.ask(1)
    10.times { tick(after: 2) }
    assert_equal [1, 1], [@process.opened.size, @process.closed]
  end

  def test_another_one_right_after_it_is_not
    @process.ask(1)
    2.times { tick }
    @process.ask(1)
    tick
    assert_equal 1, @process.opened.size
    @process.pass(10)
    @process.ask(2)
    tick
    assert_equal 2, @process.opened.size
  end

  def test_ignores_an_old_request
    @process.ask(5)
    tick(after: 60)
    assert_empty @process.opened
  end

  def test_ignores_a_number_that_is_not_a_request
    @process.request = Data.define(:encode).new(encode: (1 << 64) - 1)
    tick
    assert_empty @process.opened
  end

  def test_takes_fewer_events_when_there_is_little_room
    @process.room = 10_000
    @process.ask(1)
    tick
    assert_equal 10_000, @process.opened.last.last
    assert_match(/no room for a capture of 200000 events/, @process.warned.first)
  end

  # Of a capture that was requested for a time.
  class Sampling
    attr_reader :calls

    def initialize(process)
      @process = process
      @calls = []
    end

    def begin(_ring) = @calls << :begin

    def tick = @calls << :tick

    def finish = @calls << [:finish, @process.closed]

    def give_way = @calls << :give_way
  end

  def sampled
    sampling = Sampling.new(@process)
    @control = Holdup::Capture::Controller.new(probe: @process, segment: "/folder/12-34.segment",
      clock: @process, log: @process, sampling:)
    yield
    sampling.calls
  end

  def test_another_sampler_knows_when_it_begins_and_ends
    calls = sampled do
      @process.ask(3)
      2.times { tick }
      @control.before_fork
      3.times { tick }
    end
    assert_equal [:begin, :tick, :give_way, :tick, [:finish, 0]], calls
  end

  def test_no_other_sampler_waits_for_trouble_or_for_long
    {61 => nil, 30 => Holdup::Capture::Trigger.new(what: :wall, over_ns: 70)}.each do |seconds, rule|
      calls = sampled do
        @process.rule = rule
        @process.ask(seconds)
        tick
      end
      assert_empty calls
    end
    assert_equal 2, @process.opened.size
  end

  def test_the_end_of_measuring_ends_it
    @process.ask(60)
    tick
    2.times { @control.close }
    assert_equal 1, @process.closed
  end
end
