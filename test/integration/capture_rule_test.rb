# frozen_string_literal: true

require "test_helper"
require "holdup/capture/archive"
require "holdup/capture/ordering"
require "holdup/clock"
require "holdup/timeline"

# A real Puma whose own rule waits for a light request that stalls too long, while a hog keeps the GVL for 300 ms at a time:
# nobody asks, and the collector keeps what led to it.
class CaptureRuleIntegrationTest < Minitest::Test
  include CommandLine

  RULE = "stall > 100 ms, only=GET /light"

  def test_the_rule_catches_a_slow_light_request_and_the_hog_is_named
    serving do |app, archive|
      order(app)
      traffic = %w[/light /hog].map { |path| Traffic.to(app, path, clients: 1) }
      by_rule, ordered = app.wait(60) { archive.kept.group_by { |kept| kept.facts["trigger"] }.values_at("rule", "dashboard").then { |both| both if both.all? } }.map(&:first)
      traffic.each(&:stop)
      assert_told(by_rule)
      assert_story(by_rule)
      assert_operator ordered.length_ns, :>=, 1_000_000_000
    end
  end

  private

  def serving(&)
    env = {"HOLDUP_CAPTURE" => RULE, "HOLDUP_COLLECTOR" => "process"}
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "plain", env:) { |app| yield app, Holdup::Capture::Archive.new(File.join(app.root, "captures")) }
  end

  # As the dashboard does: it waits for nothing, and the rule begins anew afterwards.
  def order(app)
    app.wait { app.live.any? }
    Holdup::Capture::Ordering.new(dir: app.dir, clock: Holdup::Clock.new).order(app.live.first.pid, seconds: 1)
  end

  def assert_told(kept)
    assert_equal ["rule", RULE, "GET /light", "GET /hog"], kept.facts.values_at("trigger", "rule", "unit", "holder")
    assert_operator kept.facts["stalled_ns"], :>, 100_000_000
    assert_operator kept.facts["wall_ns"], :>=, kept.facts["stalled_ns"]
  end

  # Ticks of which it is known that the hog's own line ran.
  def with_stack(scene, parts)
    pieces = parts.flat_map { |part| scene.samples.held(part.lane, part.from, part.from + part.ticks) }
    ran = pieces.select { |piece| piece.stack && scene.recording.stacks.frames(piece.stack).any? { |frame| frame.path == "config.ru" } }
    ran.sum { |piece| piece.to - piece.from }
  end

  # Of the time that somebody held the GVL meanwhile: what passes while nobody does is the machine's, not the hog's.
  def assert_story(kept)
    scene = Holdup::Timeline::Scene.new(Holdup::Capture::Archive.read(kept.path))
    waits = Holdup::Timeline::Story.new(scene, scene.caught).waits
    parts = waits.flat_map(&:parts)
    hogs = parts.select { |part| part.unit&.name == "GET /hog" }
    assert_operator hogs.sum(&:ticks), :>=, 0.95 * parts.sum(&:ticks)
    assert_operator with_stack(scene, hogs), :>=, 0.9 * hogs.sum(&:ticks) # the rest: how its request began
    assert_in_delta kept.facts["stalled_ns"], scene.ns(waits.sum { |wait| wait.span.length }), 10_000
    story = holdup("timeline", kept.path, "--unit", "caught").out
    assert_match(/of its waiting was for GET \/hog\./, story)
    assert_match(/What ran meanwhile .*config\.ru:\d+\)/m, story)
  end
end
