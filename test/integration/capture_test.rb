# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/capture/archive"
require "holdup/timeline"

# A capture of a real Puma while a hog keeps the GVL from light requests.
class CaptureIntegrationTest < Minitest::Test
  include CommandLine

  def test_the_hog_is_named_as_whom_light_requests_waited_for
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      traffic = %w[/light /hog].map { |path| Traffic.to(app, path, clients: 1) }
      out = File.join(app.root, "captures")
      said = holdup_process("capture", "--seconds", "2", "--dir", app.dir, "--out", out, env: {"HOME" => app.root})
      traffic.each(&:stop)
      assert_equal 0, said.status, said.err
      file = Dir[File.join(out, "*.holdup-capture")].first
      assert_includes said.out, "holdup timeline #{file}"
      assert_empty Dir[File.join(app.dir, "*.events")]
      assert_hog(file)
    end
  end

  def test_what_led_to_a_slow_request_is_kept
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      traffic = Traffic.to(app, "/hog", clients: 1)
      out = File.join(app.root, "captures")
      said = holdup_process("capture", "--until", "wall > 100 ms", "--seconds", "60", "--dir", app.dir, "--out", out, env: {"HOME" => app.root})
      traffic.stop
      assert_equal 0, said.status, said.err
      assert_match(/--unit caught$/, said.out)
      assert_match(/^Unit \d+: GET \/hog on thread puma srv tp/, holdup("timeline", Dir[File.join(out, "*")].first, "--unit", "caught").out)
    end
  end

  # The hog is no less seen where vernier samples.
  def test_a_server_that_has_vernier_loaded
    skip "vernier is not in this bundle" unless Gem.loaded_specs.key?("vernier")
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -rvernier -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      traffic = %w[/light /hog].map { |path| Traffic.to(app, path, clients: 1) }
      out = File.join(app.root, "captures")
      said = holdup_process("capture", "--seconds", "2", "--dir", app.dir, "--out", out, env: {"HOME" => app.root})
      traffic.each(&:stop)
      assert_equal 0, said.status, said.err
      file = Dir[File.join(out, "*.holdup-capture")].first
      assert_match(/^Threads that ran were sampled by vernier \d/, holdup("timeline", file).out)
      assert_hog(file)
    end
  end

  private

  def assert_hog(file)
    scene = Holdup::Timeline::Scene.new(Holdup::Capture::Archive.read(file))
    assert_equal [scene.recording.length_ticks], scene.lanes.map { |lane| lane.spans.sum(&:length) }.uniq
    light = slowest_light(scene)
    text = holdup("timeline", file, "--unit", light.id.to_s).out
    assert_match(/waiting for the GVL: \S+ % for GET \/hog in Report\.crunch /, text.gsub(/\s+/, " "))
    assert_operator text[/([\d.]+) % for GET/, 1].to_f, :>=, 80, text
    assert_match(/^GET \/hog /, holdup("timeline", file).out[/For whom.*/m].lines[2])
    assert_method(scene, text)
    assert_exported(file, light)
  end

  # Of what was seen while others waited for hogs: a busy machine lets who watches look when it does.
  def assert_method(scene, text)
    hogs = Holdup::Timeline::Methods.new(scene).call.select { |row| row.unit == "GET /hog" && row.method }
    crunching = hogs.select { |row| row.method == "Report.crunch" && row.path.end_with?("config.ru") }
    assert_operator crunching.sum(&:caused), :>=, 0.95 * hogs.sum(&:caused)
    assert_match(/waited for GET \/hog \(thread puma srv tp \d+\) [\d.]+ m?s in Report\.crunch \(.*config\.ru:\d+\)/, text.gsub(/\s+/, " "))
  end

  # A hog that goes on after the capture has no name in it, so only those are asked that came before a named one's end.
  def slowest_light(scene)
    light, hogs = ["GET /light", "GET /hog"].map { |name| scene.whole_units.select { |unit| unit.name == name } }
    light.select { |unit| unit.to <= hogs.map(&:to).max }.max_by { |unit| scene.sums_of(unit)[:stalled] }
  end

  def assert_exported(file, light)
    told = JSON.parse(holdup("timeline", file, "--export", "json").out)
    assert_equal [told["length_ns"]], told["threads"].map { |thread| thread["periods"].sum { |one| one["to_ns"] - one["from_ns"] } }.uniq
    hogs = told["units"].select { |unit| unit["name"] == "GET /hog" }.map { |unit| unit["id"] }
    held = told["threads"].flat_map { |thread| thread["periods"] }.select { |one| one["unit"] == light.id && one["held_by"] }.flat_map { |one| one["held_by"] }
    assert_operator held.select { |one| hogs.include?(one["unit"]) }.sum { |one| one["ns"] }, :>, held.sum { |one| one["ns"] } / 2
  end
end
