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

  private

  def story(recording, language)
    scene = Holdup::Captures::Timeline::Scene.new(recording)
    unit = scene.units.first
    story = Holdup::Captures::Timeline::UnitStory.new(scene, unit)
    words = Holdup::View::Words.new(language)
    Holdup::View::Text.new(Holdup::Captures::TimelineStory.new(scene, unit, story:, words:).page,
      width: 120).call
  end
end
