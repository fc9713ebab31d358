# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# What took the time, and because of whom, in the first sentence.
class Holdup::Captures::TimelineAnswerTest < Minitest::Test
  MS = 1_000_000
  CRUNCH = ["Report#crunch", "/srv/app/models/report.rb", 12]

  # Of unit 1 in a capture of 100 ms, and of the whole capture.
  def answers(ring, language: "en")
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 100 * MS))
    answer = Holdup::Captures::TimelineAnswer.new(scene, words: Holdup::View::Words.new(language))
    unit = scene.units.find { |one| one.number == 1 }
    [unit && answer.unit(unit), answer.whole].map { |text| text&.tr("\u00A0", " ") }
  end

  def test_a_name_stays_on_one_line
    scene = Holdup::Captures::Timeline::Scene.new(hog.recording(to: 100 * MS))
    words = Holdup::View::Words.new("en")
    unit = scene.units.find { |one| one.number == 1 }
    text = Holdup::Captures::TimelineAnswer.new(scene, words:).unit(unit)
    assert text.start_with?("GET\u00A0/light took 80.0 ms"), text
    lines = Holdup::View::Width.wrap(text, 40)
    refute(lines.any? { |line| line.end_with?("GET") }, lines.join("\n"))
    refute_includes lines.join, "\u00A0", "a terminal's text can be searched"
  end

  # The hog collects garbage for a while; who waits is the light one.
  def hog(ring = EventRing.new)
    ring.running(2).idle(3).begins(2, 2, 1 * MS).begins(1, 3, 2 * MS)
    ring.stack(2, 20 * MS, CRUNCH, unit: 2).ready(3, 10 * MS, unit: 1).collected(2, 30 * MS, 60 * MS)
    ring.suspended(2, 70 * MS, unit: 2).resumed(3, 72 * MS, unit: 1)
    ring.ends(2, 2, 73 * MS, name: "GET /hog").ends(1, 3, 82 * MS, name: "GET /light")
  end

  def test_who_waited_for_the_gvl
    held = "60.0 ms (96.8 %) for GET /hog, 100 % of it in Report#crunch (app/models/report.rb:13), " \
      "30.0 ms of it in garbage collection."
    unit, whole = answers(hog)
    assert_equal "GET /light took 80.0 ms, 62.0 ms waiting for the GVL: #{held}", unit
    assert_equal "Requests and jobs waited 62.0 ms for the GVL: #{held}", whole
  end

  def test_who_waited_for_the_gvl_in_japanese
    held = "うち 60.0 ms（96.8 %）は GET /hog を待っていました。" \
      "その 100 % の間に実行されていたのは Report#crunch（app/models/report.rb:13）。うち 30.0 ms は GC の時間です。"
    assert_equal "GET /light は 80.0 ms のうち 62.0 ms が GVL 待ちで、#{held}", answers(hog, language: "ja").first
  end

  def test_the_handoff_took_most_of_the_wait
    ring = EventRing.new.running(2).idle(3).begins(1, 3, 2 * MS).ready(3, 10 * MS, unit: 1)
    ring.suspended(2, 11 * MS).resumed(3, 70 * MS, unit: 1).ends(1, 3, 72 * MS, name: "GET /light")
    expected = "GET /light took 70.0 ms, 60.0 ms waiting for the GVL: 59.0 ms (98.3 %) for the hand-off " \
      "from thread to thread (no holder)."
    assert_equal expected, answers(ring).first
  end

  def test_what_ran_itself
    ring = EventRing.new.running(2).begins(1, 2, 1 * MS).stack(2, 20 * MS, CRUNCH, unit: 1)
    ring.ends(1, 2, 81 * MS, name: "GET /hog")
    held = "GET /hog took 80.0 ms, and held the GVL itself for 80.0 ms, " \
      "100 % of it in Report#crunch (app/models/report.rb:13)."
    assert_equal [held, nil], answers(ring)
  end

  # Seven methods of 10 ms each, and one of 12 ms.
  def many_methods(ring, thread, from)
    7.times { |turn|
      ring.stack(thread, (from + turn * 10) * MS, ["Report#part_#{turn}", "/srv/app/models/report.rb", turn],
        unit: 1)
    }
    ring.stack(thread, (from + 70) * MS, CRUNCH, unit: 1).stack(thread, (from + 75) * MS, CRUNCH, unit: 1)
  end

  def test_the_method_that_ran_longest_of_many_has_its_own_share
    ring = many_methods(EventRing.new.running(2).begins(1, 2, 1 * MS), 2, 3).ends(1, 2, 81 * MS,
      name: "GET /hog")
    assert_includes answers(ring).first, "held the GVL itself for 80.0 ms, 16.2 % of it in Report#crunch "
  end

  def test_a_method_of_the_holder_has_its_share_of_what_the_holder_held
    ring = EventRing.new.running(2).idle(3).begins(2, 3, 1 * MS).begins(1, 2, 1 * MS)
    many_methods(ring.ready(3, 1 * MS, unit: 2), 2, 3)
    ring.suspended(2, 81 * MS, unit: 1).resumed(3, 81 * MS, unit: 2)
    ring.ends(1, 2, 82 * MS, name: "GET /hog").ends(2, 3, 83 * MS, name: "GET /light")
    assert_includes answers(ring).last, "80.0 ms (100 %) for GET /hog, 16.2 % of it in Report#crunch "
  end

  {io: "waiting for io", lock: "waiting for a lock",
   sleep: "asleep or waiting with a time limit"}.each do |kind, text|
    define_method(:"test_what_was_idle_#{kind}") do
      assert_equal "GET /light took 80.0 ms, 75.0 ms #{text}.", answers(idle(kind)).first
    end
  end

  def test_units_that_waited_for_locks
    expected = "Requests and jobs waited 75.0 ms for locks, and 0 for the GVL."
    assert_equal expected, answers(idle(:lock)).last
  end

  def test_waits_for_a_connection_are_no_sleep
    ring = idle(:sleep) { |events| events.pool_wait(3, 77 * MS, 70 * MS, unit: 1) }
    unit = "GET /light took 80.0 ms, 70.0 ms waiting for a connection from the pool."
    all = "Requests and jobs waited 70.0 ms for a connection from the pool, and 0 for the GVL."
    assert_equal [unit, all], answers(ring)
  end

  def test_nothing_is_known
    assert_equal [nil, nil], answers(EventRing.new(threads: {}))
  end

  private

  def idle(kind)
    ring = EventRing.new.running(3).begins(1, 3, 1 * MS).suspended(3, 2 * MS, unit: 1)
    ring.ready(3, 77 * MS, kind:, unit: 1).resumed(3, 77 * MS, unit: 1)
    yield ring if block_given?
    ring.ends(1, 3, 81 * MS, name: "GET /light")
  end
end
