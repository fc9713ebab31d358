# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/capture/archive"
require "holdup/loader"

# A capture of a real Puma while a hog keeps the GVL from light requests.
class CaptureIntegrationTest < Minitest::Test
  include CommandLine

  TRIES = 5

  # What one capture says of the hog. A machine with too little CPU stops threads wherever they are: it also
  # says that then.
  class Seen
    attr_reader :file, :scene, :light, :text

    # @yield arguments of holdup; gives what it says
    def initialize(file, &holdup)
      @file = file
      @scene = Holdup::Captures::Timeline::Scene.new(Holdup::Capture::Archive.read(file))
      @light = slowest_light
      @text = holdup.call("timeline", file, "--unit", @light.id.to_s, "--full").out
    end

    def clear?
      hog_percent >= 80 && method_share >= 0.95
    end

    # Of what the light request waited.
    def hog_percent
      @text[/([\d.]+)\s+%\)\s+for\s+GET\s+\/hog/, 1].to_f
    end

    # Of what was seen while others waited for hogs: a busy machine lets who watches look when it does.
    def method_share
      methods = Holdup::Captures::Timeline::StackShares::MethodTable.new(@scene).call
      hogs = methods.select { |row| row.unit == "GET /hog" && row.method }
      crunching = hogs.select { |row| row.method == "Report.crunch" && row.path.end_with?("config.ru") }
      crunching.sum(&:caused).fdiv(hogs.sum(&:caused))
    end

    private

    # A hog that goes on after the capture has no name in it, so only those are asked that came before a named
    # one's end.
    def slowest_light
      light, hogs = ["GET /light", "GET /hog"].map { |name|
        @scene.whole_units.select { |unit| unit.name == name }
      }
      light.select { |unit| unit.to <= hogs.map(&:to).max }.max_by { |unit| @scene.sums_of(unit)[:stalled] }
    end
  end

  def test_the_hog_is_named_as_whom_light_requests_waited_for
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      seen = beside_a_hog(app)
      assert_empty Dir[File.join(app.dir, "*.events")]
      assert_hog(seen)
    end
  end

  def test_what_led_to_a_slow_request_is_kept
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      traffic = ClientTraffic.to(app, "/hog", clients: 1)
      out = File.join(app.root, "captures")
      said = holdup_process("capture", "--until", "wall > 100 ms", "--seconds", "60", "--dir", app.dir,
        "--out", out, env: {"HOME" => app.root})
      traffic.stop
      assert_equal 0, said.status, said.err
      assert_match(/--unit caught$/, said.out)
      assert_match(/^GET \/hog \(id \d+\) on thread puma srv tp/,
        holdup("timeline", Dir[File.join(out, "*")].first, "--unit", "caught").out)
    end
  end

  # The hog is seen as well while Vernier samples.
  def test_a_server_that_has_vernier_loaded
    skip "vernier is not in this bundle" unless Gem.loaded_specs.key?("vernier")
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -rvernier -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      seen = beside_a_hog(app)
      timeline = holdup("timeline", seen.file, "--full").out
      assert_match(/^ *vernier \d\S* sampled the running threads/, timeline)
      assert_hog(seen)
    end
  end

  private

  # @return [Seen] the first clear one, or the last
  def beside_a_hog(app)
    traffic = %w[/light /hog].map { |path| ClientTraffic.to(app, path, clients: 1) }
    seen = nil
    TRIES.times { break if (seen = Seen.new(captured(app)) { |*arguments| holdup(*arguments) }).clear? }
    seen
  ensure
    traffic&.each(&:stop)
  end

  # @return [String] the new file
  def captured(app)
    pattern = File.join(app.root, "captures", "*.holdup-capture")
    before = Dir[pattern]
    said = holdup_process("capture", "--seconds", "2", "--dir", app.dir, "--out", File.dirname(pattern),
      env: {"HOME" => app.root})
    assert_equal 0, said.status, said.err
    file = (Dir[pattern] - before).first
    assert_includes said.out, "holdup timeline #{file}"
    file
  end

  def assert_hog(seen)
    assert_equal [seen.scene.recording.length_ticks],
      seen.scene.lanes.map { |lane| lane.spans.sum(&:length) }.uniq
    text = seen.text.gsub(/\s+/, " ")
    assert_match(/waiting for the GVL: \S+ m?s \(\S+ %\) for GET \/hog, \S+ % of it in Report\.crunch /, text)
    assert_operator seen.hog_percent, :>=, 80, seen.text
    assert_match(/^GET \/hog /, holdup("timeline", seen.file).out[/Who held the GVL.*/m].lines[2])
    assert_operator seen.method_share, :>=, 0.95
    hog = /waited for GET \/hog \(thread puma srv tp \d+\)/
    assert_match(/#{hog} [\d.]+ m?s, \S+ % of it in Report\.crunch \(.*config\.ru:\d+\)/, text)
    assert_exported(seen.file, seen.light)
  end

  def assert_exported(file, light)
    json = JSON.parse(holdup("timeline", file, "--export", "json").out)
    assert_equal [json["length_ns"]],
      json["threads"].map { |thread| thread["periods"].sum { |one| one["to_ns"] - one["from_ns"] } }.uniq
    hogs = json["units"].select { |unit| unit["name"] == "GET /hog" }.map { |unit| unit["id"] }
    periods = json["threads"].flat_map { |thread| thread["periods"] }
    waits = periods.select { |one| one["unit"] == light.id && one["held_by"] }
    held = waits.flat_map { |one| one["held_by"] }
    assert_operator held.select { |one| hogs.include?(one["unit"]) }.sum { |one| one["ns"] }, :>,
      held.sum { |one| one["ns"] } / 2
  end
end
