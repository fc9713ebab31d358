# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Timeline::UnitChainTest < Minitest::Test
  MS = 1_000_000

  # Thread 3 waits for thread 2, which had waited for a lock that thread 1 gave back.
  def ring
    EventRing.new.running(1).idle(2).idle(3)
      .begins(1, 2, 0).begins(2, 3, 0)
      .ready(2, 40 * MS, kind: :lock, unit: 1).suspended(1, 41 * MS).resumed(2, 41 * MS, unit: 1)
      .ready(3, 45 * MS, unit: 2).suspended(2, 80 * MS, unit: 1).resumed(3, 81 * MS, unit: 2)
      .ends(2, 3, 90 * MS, name: "GET /light").suspended(3, 91 * MS)
      .ready(2, 92 * MS, unit: 1).resumed(2, 92 * MS, unit: 1).ends(1, 2, 100 * MS, name: "GET /hog")
  end

  def chain(name, ring: self.ring)
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 110 * MS))
    Holdup::Captures::Timeline::UnitChain.new(scene).call(scene.units.find { |unit| unit.name == name })
  end

  def test_names_what_it_waited_for_and_what_the_holder_waited_for
    links = chain("GET /light")
    assert_equal ["GET /light", "GET /hog"], links.map { |link| link.unit.name }
    assert_equal %i[pair lock_pair], links.map(&:kind)
    assert_equal [36 * MS, 40 * MS], links.map(&:ticks)
    assert_equal [35 * MS, 40 * MS], links.map(&:held)
  end

  def test_who_ran_when_a_wait_for_a_lock_ended_has_ended_it
    ender = chain("GET /hog").first.parts.first
    assert_equal 1, ender.lane.number
    assert_nil ender.unit, "a thread outside of requests and jobs ends the chain"
  end

  def test_nobody_comes_twice
    ring = EventRing.new.running(2).idle(3).begins(1, 2, 0).begins(2, 3, 0)
    ring.ready(3, 1 * MS, unit: 2).suspended(2, 30 * MS, unit: 1).resumed(3, 30 * MS, unit: 2)
      .ready(2, 31 * MS, unit: 1).suspended(3, 60 * MS, unit: 2).resumed(2, 60 * MS, unit: 1)
      .ends(1, 2, 90 * MS, name: "GET /hog").suspended(2, 91 * MS)
      .ready(3, 92 * MS, unit: 2).resumed(3, 92 * MS, unit: 2).ends(2, 3, 95 * MS, name: "GET /light")
    assert_equal ["GET /light", "GET /hog"], chain("GET /light", ring:).map { |link| link.unit.name }
  end

  def test_a_short_wait_explains_nothing
    ring = EventRing.new.running(2).begins(1, 2, 0).ends(1, 2, 90 * MS, name: "GET /hog")
    assert_empty chain("GET /hog", ring:)
  end

  def test_a_wait_for_a_connection_has_no_holder
    ring = EventRing.new.running(2).begins(1, 2, 0).suspended(2, 1 * MS, unit: 1)
    ring.ready(2, 80 * MS, kind: :sleep, unit: 1).resumed(2, 80 * MS, unit: 1)
      .pool_wait(2, 81 * MS, 79 * MS, unit: 1).ends(1, 2, 90 * MS, name: "GET /hog")
    link = chain("GET /hog", ring:).first
    assert_equal :pool_pair, link.kind
    assert_nil link.holder
  end
end
