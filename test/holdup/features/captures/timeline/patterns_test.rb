# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Timeline::PatternsTest < Minitest::Test
  MS = 1_000_000
  NAMES = {long_hold: "LONG HOLD", gc_pause: "GC PAUSE", convoy: "CONVOY", lock_queue: "LOCK QUEUE",
           pool_wait: "POOL WAIT", pass_storm: "PASS STORM"}.freeze

  def patterns(ring, to: 2_000 * MS)
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to:))
    found = Holdup::Captures::Timeline::Patterns.new(scene).call
    assert_equal found.map { |pattern| NAMES.fetch(pattern.key) },
      sentences(scene, found).map { |sentence| sentence[/\A[^:]+(?=: )/] }
    found.to_h { |pattern| [pattern.key, pattern.facts] }
  end

  # As the text of `holdup timeline` has them.
  def sentences(scene, found)
    words = Holdup::View::Words.new("en")
    Holdup::Captures::TimelineReport.new(scene, holders: nil, patterns: found, words:).findings
  end

  def test_calm
    ring = EventRing.new.running(2).ready(3, 1 * MS).suspended(2, 2 * MS).resumed(3, 3 * MS)
    assert_empty patterns(ring, to: 4 * MS)
  end

  def test_a_hold_longer_than_a_time_slice
    ring = EventRing.new.idle(2).ready(2, 0).resumed(2, 0)
    ring.unit(1, 2, 1 * MS, 400 * MS, name: "GET /hog") {
      ring.ready(3, 50 * MS).suspended(2, 400 * MS, unit: 1).resumed(3, 401 * MS)
    }
    found = patterns(ring).fetch(:long_hold)
    assert_equal ["GET /hog", 400 * MS, 350 * MS], found.values_at(:who, :ns, :waited_ns)
  end

  # It held long, and hardly any thread waited.
  def test_a_long_hold_alone
    ring = EventRing.new.running(2).ready(3, 399 * MS).suspended(2, 400 * MS).resumed(3, 401 * MS)
    assert_empty patterns(ring)
  end

  def test_threads_and_units_without_a_name_are_numbered
    ring = EventRing.new(threads: {2 => "", 3 => "srv 2"})
    ring.running(2).ready(3, 50 * MS).suspended(2, 400 * MS).resumed(3, 401 * MS)
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 500 * MS))
    patterns = Holdup::Captures::Timeline::Patterns.new(scene).call
    held = /\ALONG HOLD: thread 2 held the GVL for 400 ms without a break, /
    outside = /100 % of it outside requests and jobs;/
    assert_match(/#{held}#{outside}/, sentences(scene, patterns).first)
  end

  def test_a_collection_of_garbage
    ring = EventRing.new.running(2).ready(3, 10 * MS).collected(2, 5 * MS, 45 * MS)
    found = patterns(ring, to: 50 * MS).fetch(:gc_pause)
    assert_equal ["srv 1", 40 * MS, 1, 35 * MS],
      [found[:thread].name, *found.values_at(:ns, :count, :waited_ns)]
  end

  # Not C code that does not release the GVL.
  def test_a_long_hold_that_collects_garbage
    ring = EventRing.new.running(2).ready(3, 50 * MS).collected(2, 10 * MS, 390 * MS)
    ring.suspended(2, 400 * MS).resumed(3, 401 * MS)
    assert_equal [:gc_pause], patterns(ring).keys
  end

  # Ten releases of 1 ms, each of which costs 100 ms.
  def test_a_convoy
    ring = EventRing.new.running(3)
    ring.unit(1, 3, 0, 1_100 * MS, name: "GET /light") do
      10.times do |turn|
        at = 1 + turn * 110
        ring.suspended(3, at * MS, unit: 1).resumed(2, at * MS).ready(3, (at + 1) * MS, unit: 1)
        ring.suspended(2, (at + 101) * MS).resumed(3, (at + 101) * MS, unit: 1)
      end
    end
    found = patterns(ring).fetch(:convoy)
    assert_equal ["GET /light", 10, 1_000 * MS], found.values_at(:who, :count, :waited_ns)
  end

  def test_units_in_line_for_a_lock
    ring = EventRing.new(threads: (1..6).to_h { |number| [number, "srv #{number}"] }).running(1)
    (2..5).each { |thread|
      ring.idle(thread).ready(thread, thread * MS).resumed(thread, thread * MS, unit: thread)
      ring.suspended(thread, thread * MS + 1, unit: thread)
    }
    (2..5).each { |thread|
      ring.ready(thread, (thread + 20) * MS, kind: :lock, unit: thread)
      ring.resumed(thread, (thread + 20) * MS, unit: thread)
      ring.suspended(thread, (thread + 21) * MS, unit: thread)
    }
    assert_equal 4, patterns(ring).fetch(:lock_queue).fetch(:count)
  end

  def test_waits_for_a_pool
    ring = EventRing.new(threads: (1..4).to_h { |number| [number, "srv #{number}"] }).idle(2).idle(3).idle(4)
    [2, 3].each { |thread|
      ring.ready(thread, 50 * MS, kind: :sleep).resumed(thread, 50 * MS)
      ring.pool_wait(thread, 50 * MS + thread, 40 * MS, unit: thread).suspended(thread, 51 * MS)
    }
    ring.resumed(4, 60 * MS).pool_wait(4, 61 * MS, 2 * MS, unit: 4)
    assert_equal({count: 2, waits: 2, waited_ns: 80 * MS}, patterns(ring, to: 70 * MS).fetch(:pool_wait))
  end

  def test_a_storm_of_yields
    ring = EventRing.new.running(2)
    60.times do |turn|
      at = (turn * 2 + 1) * MS
      ring.suspended(2, at).ready(2, at, yielded: true).resumed(3, at + 1).suspended(3, at + MS).resumed(2,
        at + MS)
    end
    found = patterns(ring).fetch(:pass_storm)
    assert_equal "srv 1", found[:thread].name
    assert_equal 60, found[:count]
    assert_nil found[:who]
    assert_in_delta 1.0, found[:share]
  end

  def test_a_storm_of_yields_names_the_unit_of_most_of_them
    ring = EventRing.new.running(2).begins(1, 2, 0)
    60.times do |turn|
      at = (turn * 2 + 1) * MS
      unit = (turn < 45) ? 1 : 0
      ring.suspended(2, at, unit:).ready(2, at, yielded: true, unit:).resumed(3, at + 1)
      ring.suspended(3, at + MS).resumed(2, at + MS, unit:)
      ring.ends(1, 2, at + MS + 1, name: "GET /hog") if turn == 44
    end
    found = patterns(ring).fetch(:pass_storm)
    assert_equal "GET /hog", found[:who]
    assert_in_delta 0.75, found[:share]
  end
end
