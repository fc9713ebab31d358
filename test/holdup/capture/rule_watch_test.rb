# frozen_string_literal: true

require "test_helper"
require "holdup/capture/controller"
require "holdup/capture/rule"

# What a process captures by itself, and how that gives way to a requested capture.
class Holdup::Capture::RuleWatchTest < Minitest::Test
  # The probe's half, a clock that is moved by hand, and files.
  class Process
    attr_reader :opened, :limited, :warned
    attr_accessor :request, :units, :caught, :others_running, :room, :realtime_ns, :monotonic_ns

    def initialize
      @opened = []
      @limited = []
      @warned = []
      @room = 200_000
      @realtime_ns = @monotonic_ns = 1_000_000_000_000
    end

    def read_segment(offset, _bytes)
      number = {216 => @request&.encode, 264 => @units}[offset]
      [number.to_i].pack("Q<")
    end

    def open_capture(path, events, *limits)
      raise Errno::ENOSPC if events > @room
      File.binwrite(path, "\0" * 4096)
      @open = true
      @opened << [File.basename(path), events, limits.first(2)]
    end

    def open? = !!@open

    def caught?
      open? && @caught
    end

    def capture_complete?
      caught? && !@others_running
    end

    def name_captured(_thread, _name) = nil

    def close_capture = @open = @caught = nil

    def warn(text) = @warned << text

    def pass(seconds)
      @realtime_ns += seconds * 1_000_000_000
      @monotonic_ns += seconds * 1_000_000_000
    end
  end

  def setup
    @dir = Dir.mktmpdir
    @process = Process.new
    watch("stall > 50 ms")
  end

  def teardown = FileUtils.remove_entry(@dir)

  # More facts than 127 bytes, and not in ASCII.
  def test_the_name_of_the_application_in_any_script
    app = "店舗" * 30
    watch("stall > 50 ms", app:)
    tick
    assert_equal app, facts("12-34.armed")["app"]
  end

  def test_waits_from_the_first_tick_on
    3.times { tick }
    assert_equal [["12-34.armed", 200_000, [50_000_000, 0]]], @process.opened
    assert_equal({"trigger" => "rule", "rule" => "stall > 50 ms", "every_s" => 60, "app" => "shop"},
      facts("12-34.armed"))
  end

  def test_captures_nothing_while_the_process_warms_up
    watch("stall > 50 ms", warm_up: "120")
    tick(after: 600)
    assert_equal [[], "warms up"], [@process.opened, @control.profile["capture.state"]], "before any unit"
    @process.units = 1
    tick
    tick(after: 119)
    assert_empty @process.opened
    tick(after: 1)
    assert_equal [1, "waits"], [@process.opened.size, @control.profile["capture.state"]]
  end

  def test_a_rule_waits_for_the_warm_up_of_advice_unless_it_says_so
    assert_equal 120, Holdup::Capture::Rule.from("stall > 50 ms").warm_up_s
    assert_equal 5, Holdup::Capture::Rule.from({stall: "50 ms", warm_up: 5}).warm_up_s
    assert_nil Holdup::Capture::Rule.from("stall > 50 ms, warm_up=-1")
  end

  def test_leaves_what_it_caught_and_begins_anew_after_a_pause
    catch_one
    assert_equal %w[12-34.ended], left
    tick(after: 59)
    assert_equal 1, @process.opened.size
    File.unlink(File.join(@dir, "12-34.ended"))
    tick
    assert_equal 2, @process.opened.size
  end

  def test_waits_for_units_concurrent_with_the_caught_one
    @process.others_running = true
    catch_one
    assert_equal %w[12-34.armed], left
    @process.others_running = false
    tick
    assert_equal %w[12-34.ended], left
  end

  def test_says_how_it_is
    assert_equal "rests", @control.profile["capture.state"]
    tick
    assert_equal({"capture.rule" => "stall > 50 ms", "capture.state" => "waits"}, @control.profile)
    catch_one
    assert_equal "rests", @control.profile["capture.state"]
    @process.room = 0
    File.unlink(File.join(@dir, "12-34.ended"))
    tick(after: 60)
    assert_equal "no room", @control.profile["capture.state"]
  end

  def test_does_not_wait_without_memory
    watch("stall > 50 ms", in_memory: false)
    tick
    assert_equal [[], "no memory"], [@process.opened, @control.profile["capture.state"]]
  end

  def test_waits_for_the_collector
    catch_one
    tick(after: 3600)
    assert_equal [1, %w[12-34.ended]], [@process.opened.size, left]
  end

  def test_pauses_during_a_capture_that_a_user_asked_for
    tick
    ask(2)
    tick
    assert_equal [%w[12-34.armed 12-34.events], %w[12-34.events]], [@process.opened.map(&:first), left]
    4.times { tick }
    assert_equal %w[12-34.armed 12-34.events 12-34.armed], @process.opened.map(&:first)
    assert_equal({"trigger" => "asked", "app" => "shop"}, facts("12-34.events"))
  end

  def test_what_it_caught_is_left_before_it_gives_way
    tick
    @process.caught = true
    ask(2)
    tick
    assert_equal %w[12-34.ended 12-34.events], left
  end

  def test_leaves_captures_without_a_client_to_the_collector
    ask(1, attended: false)
    2.times { tick }
    assert_equal "12-34.left", left.last
    assert_equal "dashboard", facts("12-34.left")["trigger"]
  end

  def test_nothing_is_left_at_the_end
    tick
    @control.close
    assert_empty left
    refute_predicate @process, :open?
  end

  def test_tries_again_after_the_pause_without_room
    @process.room = 0
    3.times { tick }
    assert_equal 3, @process.warned.size
    tick(after: 60)
    assert_equal [3, []], [@process.warned.size, @process.opened]
    @process.room = 10_000
    tick(after: 60)
    assert_equal 10_000, @process.opened.last[1]
  end

  private

  def watch(text, app: "shop", warm_up: "0", **more)
    @control = Holdup::Capture::Controller.new(
      probe: @process, segment: File.join(@dir, "12-34.segment"), clock: @process, log: @process,
      rule: Holdup::Capture::Rule.from("#{text}, warm_up=#{warm_up}"), facts: {"app" => app}, **more
    )
  end

  def tick(after: 1)
    @process.pass(after)
    @control.tick
  end

  def catch_one
    tick
    @process.caught = true
    tick
  end

  def ask(seconds, **facts)
    @process.request = Holdup::Capture::Request.new(asked_ms: @process.realtime_ns / 1_000_000, seconds:,
**facts)
  end

  def left = Dir.children(@dir).sort

  def facts(name)
    require "holdup/capture/header"
    Holdup::Capture::Reason.of(File.binread(File.join(@dir, name)))
  end
end
