# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Timeline::StackSharesTest < Minitest::Test
  MS = 1_000_000
  CRUNCH = ["Report#crunch", "/srv/app/models/report.rb", 12].freeze
  EACH = ["Array#each", "<internal:array>", 42].freeze
  SAVE = ["block (2 levels) in Report#save", "/srv/app/models/report.rb", 30].freeze
  LIGHT = ["Light#show", "/srv/app/light.rb", 3].freeze

  # The hog holds from 0 to 100 ms, seen at 20 ms and at 60 ms; the light unit waits from 10 to 102 ms, then
  # holds unseen.
  def scene
    @scene ||= begin
      ring = EventRing.new.running(2).idle(3)
      ring.unit(1, 2, 1 * MS, 100 * MS, name: "GET /hog") do
        ring.ready(3, 10 * MS).stack(2, 20 * MS, EACH, CRUNCH, SAVE, unit: 1).stack(3, 20 * MS, LIGHT,
          kind: :stalled)
        ring.stack(2, 60 * MS, SAVE, unit: 1).suspended(2, 100 * MS - 1, unit: 1).resumed(3, 102 * MS)
      end
      ring.unit(2, 3, 103 * MS, 110 * MS, name: "GET /light") { ring }
      Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
    end
  end

  def test_methods_with_what_they_held_stalled_and_caused
    rows = Holdup::Captures::Timeline::StackShares::MethodTable.new(scene).call
    assert_equal ["Report#save", "/srv/app/models/report.rb", 30, "GET /hog", 60 * MS - 1, 0, 60 * MS - 1],
      rows.first.to_h.values
    assert_equal ["Report#crunch", 30 * MS], [rows[1].method, rows[1].caused]
    assert_equal 92 * MS, rows.find { |row| row.method == "Light#show" }.stalled
    assert_equal 7 * MS, rows.find { |row| row.method.nil? && row.unit == "GET /light" }.held
  end

  def test_methods_add_up_to_what_all_threads_did
    [[0, 200 * MS], [15 * MS, 90 * MS]].each do |from, to|
      rows = Holdup::Captures::Timeline::StackShares::MethodTable.new(scene, from:, to:).call
      waits = Holdup::Captures::Timeline::Excerpt.new(scene, from:, to:).waits
      assert_equal waits.sum { |wait| wait.span.length }, rows.sum(&:stalled)
      assert_equal waits.sum { |wait| wait.parts.sum(&:ticks) }, rows.sum(&:caused)
    end
    rows = Holdup::Captures::Timeline::StackShares::MethodTable.new(scene).call
    assert_equal scene.holds.sum(&:length), rows.sum(&:held)
  end

  def test_a_flame_has_all_the_time_at_its_root_and_the_callers_below
    held = Holdup::Captures::Timeline::StackShares::FlameTree.new(scene, mode: :held).call
    assert_equal scene.holds.sum(&:length), held.ticks
    save = held.children.first
    assert_equal [SAVE.first, 100 * MS - 1, 60 * MS - 1], [save.frame.label, save.ticks, save.self]
    assert_equal [CRUNCH.first, EACH.first],
      [save.children.first, save.children.first.children.first].map { |node| node.frame.label }
    assert_nil held.children.last.frame
    caused = Holdup::Captures::Timeline::StackShares::FlameTree.new(scene, mode: :caused).call
    assert_equal 90 * MS - 1, caused.ticks
    assert_raises(KeyError) { Holdup::Captures::Timeline::StackShares::FlameTree.new(scene, mode: :wall) }
  end

  def test_without_stacks_no_frame_has_time
    ring = EventRing.new.running(2).ready(3, 10 * MS).suspended(2, 20 * MS).resumed(3, 20 * MS)
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 30 * MS))
    rows = Holdup::Captures::Timeline::StackShares::MethodTable.new(scene).call
    assert_equal [nil], rows.map(&:method).uniq
    assert_equal 10 * MS, rows.sum(&:caused)
  end
end
