# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Timeline::StackSamplesTest < Minitest::Test
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

  def lane(number)
    scene.lanes.find { |lane| lane.number == number }
  end

  def test_a_hold_is_shared_out_among_its_stacks_half_way_between_them
    pieces = scene.samples.held(lane(2), 0, 200 * MS)
    assert_equal [[0, 40 * MS], [40 * MS, 100 * MS - 1]], pieces.map { |piece| [piece.from, piece.to] }
    assert_equal %w[Report#crunch Report#save],
      pieces.map { |piece| scene.recording.stacks.running(piece.stack).method_name }
    assert_equal [[30 * MS, 40 * MS], [40 * MS, 50 * MS]],
      scene.samples.held(lane(2), 30 * MS, 50 * MS).map { |piece| [piece.from, piece.to] }
  end

  def test_a_hold_without_a_sample_borrows_no_stack
    assert_equal [nil], scene.samples.held(lane(3), 0, 200 * MS).map(&:stack)
  end

  def test_what_a_wait_waited_with
    wait = scene.waits.find { |one| one.lane.number == 3 }
    assert_equal "Light#show", scene.recording.stacks.running(scene.samples.waited(wait)).label
    cut = wait.with(span: Holdup::Captures::Timeline::ThreadSpan.new(:stalled, 50 * MS, 60 * MS, 0, nil))
    assert_equal scene.samples.waited(wait), scene.samples.waited(cut)
  end

  def test_stacks_that_are_gone_or_make_no_sense_are_none
    stacks = Holdup::Capture::Stacks.new(
      table: [Holdup::Capture::Frame.new(label: "a", path: nil, line: 0,
        at: 0)], nodes: [2, 1, 0, 1, 9, 0], first_event: 5
    )
    event = ->(number, detail) { Holdup::Capture::Event.new(number + 1, 1, 0, detail, 0, 0, 16, 1) }
    assert_equal [nil, 1, nil, nil],
      [event.call(4, 1), event.call(5, 1), event.call(6, 3), event.call(6, 0)].map { |one| stacks.of(one) }
    assert_equal %w[a], stacks.frames(1).map(&:label)
    assert_equal %w[a], stacks.frames(2).map(&:label)
  end

  def test_a_frame_says_where_it_is
    gem = Holdup::Capture::Frame.new(label: "rescue in block in A#b",
      path: "/usr/lib/gems/3.4.0/gems/rack-3.2.8/lib/rack.rb", line: 4, at: 0)
    assert_equal ["A#b", "rack-3.2.8/lib/rack.rb:4"], [gem.method_name, gem.place]
    assert_equal "app/models/report.rb:9", gem.with(path: "/srv/app/models/report.rb", at: 9).place
    assert_equal [nil, nil], [gem.with(path: nil), gem.with(path: "<internal:array>")].map(&:place)
  end
end
