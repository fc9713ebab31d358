# frozen_string_literal: true

require "test_helper"
require "holdup/capture/archive"
require "holdup/capture/client"
require "holdup/model/clock"
require "holdup/loader"

# The shop in a real Puma whose own rule waits for a light request that stalls too long, while a hog uses 300
# ms of CPU at a time: nobody asks, and the collector keeps what led to it.
class CaptureRuleIntegrationTest < Minitest::Test
  include CommandLine
  include StorefrontApp

  LIGHT = "ProductsController#index"
  HOG = "ReportsController#forecast"
  METHOD = "SalesForecast.simulate"
  RULE = "stall > 50 ms, only=#{LIGHT}"

  # Of the time that somebody held the GVL while the caught unit waited. While nobody does it is on its way to
  # the next, for as long as the machine has no free CPU: that is no holder's, and the capture says it apart.
  class Blame
    attr_reader :scene, :waits

    def initialize(kept)
      @scene = Holdup::Captures::Timeline::Scene.new(Holdup::Capture::Archive.read(kept.path))
      @waits = Holdup::Captures::Timeline::UnitStory.new(scene, scene.caught).waits
      @parts = waits.flat_map(&:parts)
    end

    def method_share
      methods = Holdup::Captures::Timeline::HolderTable::HolderMethods.new(scene).call(hogs)
      share(methods.select { |ran| ran.frame.method_name == METHOD })
    end

    def unit_share = share(hogs)

    private

    def hogs
      @parts.select { |part| part.unit&.name == HOG }
    end

    def share(some)
      some.sum(&:ticks).fdiv(@parts.sum(&:ticks))
    end
  end

  def test_the_rule_catches_a_slow_light_request_and_the_hog_is_named
    serving do |app, archive|
      order(app)
      under_load(app) do
        assert_operator app.wait { kept(archive, "dashboard").first }.length_ns, :>=, 1_000_000_000
        by_rule = app.wait { kept(archive, "rule").find { |one| clear?(one) } }
        assert_shown(by_rule)
        assert_story(by_rule)
      end
    end
  end

  private

  def serving
    with_storefront do |env|
      env = env.merge("HOLDUP_CAPTURE" => "#{RULE}, every=1, warm_up=0", "HOLDUP_COLLECTOR" => "process",
        "STOREFRONT_WORKERS" => "1")
      ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "config/puma.rb", app: StorefrontApp::APP,
        env:) do |app|
        yield app, Holdup::Capture::Archive.new(File.join(app.root, "captures"))
      end
    end
  end

  # As the dashboard does: it waits for nothing, and the rule begins anew afterwards.
  def order(app)
    app.wait { app.live.any? }
    Holdup::Capture::BackgroundRequest.new(dir: app.dir, clock: Holdup::Clock.new).order(app.live.first.pid,
      seconds: 1)
  end

  # What the first request of a kind loads is none of the hog's.
  def under_load(app)
    %w[/products /reports/forecast].each { |path| app.get(path) }
    traffic = {"/reports/forecast?cpu_ms=300" => 1, "/products" => 2}.map { |path, clients|
      ClientTraffic.to(app, path, clients:)
    }
    yield
  ensure
    traffic&.each(&:stop)
  end

  def kept(archive, trigger)
    archive.kept.select { |one| one.facts["trigger"] == trigger }
  end

  # A machine with too little CPU stops threads while they hold the GVL, the light ones too: then a capture
  # says that.
  def clear?(kept)
    @shares ||= {}
    @shares[kept.path] ||= Blame.new(kept).then { |blame| [blame.unit_share, blame.method_share] }
    @shares[kept.path].min >= 0.95
  end

  def assert_shown(kept)
    assert_equal ["rule", RULE, LIGHT, HOG], kept.facts.values_at("trigger", "rule", "unit", "holder")
    assert_operator kept.facts["stalled_ns"], :>, 50_000_000
    assert_operator kept.facts["wall_ns"], :>=, kept.facts["stalled_ns"]
  end

  def assert_story(kept)
    blame = Blame.new(kept)
    assert_in_delta kept.facts["stalled_ns"], blame.scene.ns(blame.waits.sum { |wait| wait.span.length }),
      10_000
    assert_operator blame.unit_share, :>=, 0.95
    assert_operator blame.method_share, :>=, 0.95
    story = holdup("timeline", kept.path, "--unit", "caught", "--full").out.gsub(/\s+/, " ")
    assert_match(/\A#{LIGHT} \(id \d+\) on .* #{LIGHT} took \S+ m?s, /o, story)
    beginning = / For \S+ % of its waiting, Holdup knows what ran meanwhile: /o
    ending = /#{METHOD} \(app\/models\/sales_forecast\.rb:\d+\)/o
    assert_match(/#{beginning}#{ending}/, story)
    assert_match(/waited for #{HOG} \(thread puma srv tp \d+\) \S+ m?s, \S+ % of it in #{METHOD} /o, story)
  end
end
