# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::TimelineStoryTest < Minitest::Test
  # Nobody ends the unit of a thread that was killed.
  def test_a_unit_whose_thread_is_gone
    ring = EventRing.new.running(2).idle(3).begins(1, 2, 1_000_000).suspended(2, 3_000_000, unit: 1).exited(
      2, 4_000_000
    )
    assert_match(/ran$.*its thread was gone/m, story(ring.recording(to: 9_000_000), "en"))
    assert_match(/スレッドは終了していた/, story(ring.recording(to: 9_000_000), "ja"))
  end

  # Of 100 ms: io 6, ran 50, waited 40, then ran 4.
  def waits
    EventRing.new.running(2).idle(3).begins(1, 3, 0).ready(3, 6_000_000, unit: 1).suspended(2, 6_000_000)
      .resumed(3, 6_000_000, unit: 1).suspended(3, 56_000_000, unit: 1).resumed(2, 56_000_000)
      .ready(3, 56_000_000, unit: 1).suspended(2, 96_000_000).resumed(3, 96_000_000, unit: 1)
      .ends(1, 3, 100_000_000, name: "GET /light").recording(to: 120_000_000)
  end

  def steps(recording)
    scene = Holdup::Captures::Timeline::Scene.new(recording)
    Holdup::Captures::Timeline::UnitStory.new(scene, scene.units.find { |unit| unit.name == "GET /light" })
  end

  def test_main_periods_take_a_twentieth_of_the_time_or_more
    story = steps(waits)
    main = story.main
    assert_equal [0, 6, 56], main.map { |step| step.from / 1_000_000 }
    assert_equal [6, 50, 40], main.map { |step| step.length / 1_000_000 }
    rest = story.rest(main)
    assert_equal [1, 4_000_000], [rest.count, rest.length]
    assert_equal [50, 40], story.main(2).map { |step| step.length / 1_000_000 }
    assert_equal 2, story.rest(story.main(2)).count
    assert_nil story.rest(story.call)
  end

  def test_opens_on_the_unit_with_the_longest_wait
    scene = Holdup::Captures::Timeline::Scene.new(waits)
    assert_equal "GET /light", scene.worst.name
    none = EventRing.new.running(2).begins(1, 2, 0).ends(1, 2, 5_000_000, name: "GET /hog")
    assert_nil Holdup::Captures::Timeline::Scene.new(none.recording(to: 9_000_000)).worst
  end

  private

  def story(recording, language)
    scene = Holdup::Captures::Timeline::Scene.new(recording)
    unit = scene.units.first
    story = Holdup::Captures::Timeline::UnitStory.new(scene, unit)
    words = Holdup::View::Words.new(language)
    Holdup::View::Text.new(Holdup::Captures::TimelineStory.new(scene, unit, story:, words:).whole,
      width: 120).call
  end
end
