# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/terminal_screen"

# `holdup top` in a real terminal beside a real Puma, of which a hog keeps the GVL.
class TopIntegrationTest < Minitest::Test
  include CommandLine

  def test_shows_the_hog_while_it_holds_others_up_and_begins_a_capture
    ServedApp.serve(*%w[bundle exec ruby -W:deprecated -S puma -C puma.rb], app: "plain") do |app|
      app.wait { app.live.any? }
      env = {"HOLDUP_DIR" => app.dir, "HOLDUP_STORE" => app.store, "LANG" => "C.UTF-8", "NO_COLOR" => "1"}
      TerminalScreen.run(RbConfig.ruby, EXE, "top", env:, size: [40, 120]) do |screen|
        beside_a_hog(app) { watch(app, screen) }
        screen.press("q")
        assert_predicate screen.wait, :success?
      end
    end
  end

  private

  def watch(app, screen)
    app.wait { screen.text.match?(%r{Made others wait most: GET /hog \d}) }
    assert_match(%r{puma \d+ .* \d/3 }, screen.text)
    screen.press("2")
    app.wait { screen.text.match?(%r{GET /light +[\d.]+ .*[\d.]+ (ms|s) }) }
    screen.press("c")
    app.wait { screen.text.match?(/capturing .* for 10 s/) && Dir[File.join(app.dir, "*.events")].any? }
  end

  def beside_a_hog(app)
    traffic = %w[/hog /light].map { |path| ClientTraffic.to(app, path) }
    yield
  ensure
    traffic&.each(&:stop)
  end
end
