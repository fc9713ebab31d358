# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# Every page as people see it: in both languages, light and dark, on a phone, a laptop and a wide screen. axe
# looks at one width of each theme.
class PagesTest < Minitest::Test
  include CommandLine
  include Looking

  %w[en ja].product(Looking::PATHS) do |language, path|
    define_method(:"test_#{path[/\w+/] || "overview"}_in_#{language}") { assert_fine(path, language) }
  end

  # Names are an application's: long, without a place to wrap, from right to left, markup.
  def test_unusual_names
    names = ["<script>alert(1)</script>", "Admin::" * 25 + "OrdersController#index", "x" * 200,
      "\u3042" * 66, "\u0645\u0631\u062D\u0628\u0627#\u202Eindex"]
    sample = SampleWindows.new(units: names.to_h { |name| [name, SampleWindows::STOREFRONT.values.first] })
    with_store(sample) do |store|
      dashboard = ServedDashboard.new(store:, now_s: sample.to_s)
      ["/", "/requests", "/blame", "/endpoint?kind=request&unit=#{"x" * 200}"].each { |path|
        assert_fine(path, "en", {"light" => 360}, dashboard:)
      }
    ensure
      dashboard&.stop
    end
  end

  # One that runs, and one whose threads the autopilot keeps.
  def test_experiments
    lease = Holdup::PlanLease.new(leased_s: SimulatedArms::START_S, lease_s: 60)
    keep = {at_s: SimulatedArms::START_S + 6000, event: :kept, from: 5, to: 3,
            why: "Better: elapsed p95 -20 %."}
    {TurnsRecording.new(minutes: 60) => [[], "x7k2"],
     TurnsRecording.new(minutes: 110, lease:) => [[keep], "+threads 3, 3"]}.each do |recording, (more, shown)|
      Dir.mktmpdir do |folder|
        path = File.join(folder, "store.sqlite3")
        Holdup::Store.open(path).tap { |store| recording.fill(store, more:) }.close
        dashboard = ServedDashboard.new(store: path, now_s: recording.to_s)
        %w[en ja].each { |language| assert_fine("/experiments", language, dashboard:) }
        assert page.has_css?(".blocks", text: shown)
      ensure
        dashboard&.stop
      end
    end
  end

  # A recording that there is something to advise for.
  def test_advice_with_settings_to_choose_from
    played = PlayedStore.new(PlayedRecording.new(minutes: 20, rate: 8.0))
    played.in_a_file do |store|
      dashboard = ServedDashboard.new(store:, now_s: played.to_s)
      assert_fine("/advice", "ja", {"dark" => 1280}, dashboard:)
      assert page.has_css?("tbody th", text: "2×5", visible: :all)
      assert page.has_css?(".plot canvas")
    ensure
      dashboard&.stop
    end
  end
end
