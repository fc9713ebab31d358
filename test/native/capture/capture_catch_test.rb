# frozen_string_literal: true

require "native/native_helper"
require "holdup/capture/rule_watch"
require "holdup/capture/event_log"
require "holdup/capture/rule"

# What units of a series may take, by a rule and from the process's own segment, and what is known of the unit
# beyond it.
class CaptureCatchTest < NativeTest
  PRELUDE = <<~RUBY
    #{FreshRuby::PRELUDE}
    require "holdup/capture/rule_watch"
    require "holdup/capture/event_log"
    require "holdup/capture/rule"
    require "tmpdir"
    require "fileutils"
    P = Holdup::Probe
    FOLDER = Dir.mktmpdir("holdup", "/dev/shm")
    at_exit { FileUtils.rm_rf(FOLDER) }
    FILE = File.join(FOLDER, "events")
    def limits(rule) = Holdup::Capture::SeriesThresholds.new(probe: P, rule: Holdup::Capture::Rule.from(rule))
    def unit(name, ns)
      handle = P.enter
      GvlWork.hold(ns)
      P.record(handle, 1, name, nil, nil, false)
    end
    def open(limits) = P.open_capture(FILE, 10_000, *limits.of_all) && limits.tick
    def caught
      recording = Holdup::Capture::EventLog.parse(File.binread(FILE), path: FILE)
      header = recording.header
      [header.caught_wall_ns, recording.names[header.caught_series].name]
    end
    P.enable
    P.open_segment(File.join(FOLDER, "segment"), 30, 64, nil, 0)
  RUBY

  def test_only_units_of_that_name
    assert_equal "[false, true, \"GET /orders\"]", ruby(<<~RUBY)
      limits = limits("wall > 1 ms, only=GET /orders")
      20.times { |n| unit("GET /\#{n}", 10) }
      unit("GET /orders", 10)
      open(limits)
      limits.tick
      unit("GET /3", 2_000_000)
      before = P.caught?
      unit("GET /orders", 2_000_000)
      p [before, P.caught?, caught.last]
    RUBY
  end

  def test_a_multiple_of_its_own_percentile
    assert_equal "[false, true, \"GET /quick\", true]", ruby(<<~RUBY)
      100.times { unit("GET /quick", 100_000) }
      100.times { unit("GET /slow", 5_000_000) }
      open(limits("wall > p99 x 3"))
      unit("GET /slow", 5_000_000)
      before = P.caught?
      unit("GET /quick", 50_000_000)
      p [before, P.caught?, caught.last, caught.first > 50_000_000]
    RUBY
  end

  def test_too_few_units_have_no_percentile
    assert_equal "false", ruby(<<~RUBY)
      99.times { unit("GET /quick", 100) }
      open(limits("wall > p99 x 2"))
      unit("GET /quick", 10_000_000)
      p P.caught?
    RUBY
  end

  # Limits belong to one capture; an unknown series gets none.
  def test_a_later_capture_has_none_of_the_caught_units
    assert_equal "[true, nil, false]", ruby(<<~RUBY)
      unit("GET /orders", 10)
      P.open_capture(FILE, 10_000, 0, 0)
      known = [P.limit_capture(2, 0, 1), P.limit_capture(1_000, 0, 1)]
      P.close_capture
      P.open_capture(FILE, 10_000, 0, 0)
      unit("GET /orders", 1_000_000)
      p [*known, P.caught?]
    RUBY
  end

  def test_does_not_catch_a_unit_that_began_before
    assert_equal "[false, true, \"GET /new\"]", ruby(<<~RUBY)
      old = P.enter
      P.open_capture(FILE, 10_000, 0, 1_000_000)
      GvlWork.hold(2_000_000)
      P.record(old, 1, "GET /old", nil, nil, false)
      before = P.caught?
      unit("GET /new", 2_000_000)
      p [before, P.caught?, caught.last]
    RUBY
  end

  # Only at its end one has a name; those that began later need none.
  def test_a_catch_is_reported_once_concurrent_units_have_ended
    assert_equal "[[true, false], [true, true]]", ruby(<<~RUBY)
      P.open_capture(FILE, 10_000, 0, 1_000_000)
      said = []
      go = Thread::Queue.new
      record = ->(handle) { P.record(handle, 1, "GET /beside", nil, nil, false) }
      beside = Thread.new { P.enter.then { |handle| go.pop && record.call(handle) } }
      Thread.pass until go.num_waiting == 1
      unit("GET /orders", 2_000_000)
      P.enter
      said << [P.caught?, P.capture_complete?]
      go << true
      beside.join
      p said << [P.caught?, P.capture_complete?]
    RUBY
  end

  def test_what_led_to_it_does_not_give_way_to_what_comes_after
    assert_equal "[false, true]", ruby(<<~RUBY)
      P.open_capture(FILE, 1_024, 0, 1_000_000)
      P.enter.then do |outer|
        unit("GET /orders", 2_000_000)
        before = P.capture_complete?
        300.times { unit("GET /more", 10) }
        p [before, P.capture_complete?]
      end
    RUBY
  end

  private

  def ruby(script)
    fresh_ruby(script, prelude: PRELUDE).chomp
  end
end
