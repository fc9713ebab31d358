# frozen_string_literal: true

require "test_helper"
require "holdup/web"
require "holdup/web/app"

class Holdup::Web::Pages::SlowestTest < Minitest::Test
  include Dashboard

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 4))

  def app
    @app ||= begin
      require "holdup/stores"
      store = @store = Holdup::Stores.open("memory:").tap { |empty| PLAYED.fill(empty) }
      @profiles = store.profiles(PLAYED.from_s, PLAYED.to_s).to_a
      dashboard(store:, clock: CommandLine::Still.new(now_s: PLAYED.to_s))
    end
  end

  def slowest = last_response.body[%r{The slowest lately, one by one</h2>.*?</section>}m]

  def test_the_slowest_of_one_endpoint
    get "/endpoint", {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}
    own = @profiles.select { |profile| profile.series.name == "OrdersController#index" }
    longest = own.map(&:wall_ns).max(10).map { |ns| Holdup::Reports::Figures.duration(ns) }
    assert_equal longest, slowest.scan(%r{<tr><th scope="row">.*?</th><td>([^<]*?)\s*</td>}m).flatten
    assert_includes text, "Of #{Holdup::Reports::Figures.count(own.size)} that are kept singly"
    assert_includes text, "web-1 7"
    assert_equal 10, slowest.scan(/<time datetime="[^"]+" data-seconds>/).size
  end

  def test_traces_where_there_are_some
    refute_includes get("/endpoint", {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}).body, ">trace</th>"
    slow = @profiles.find { |profile| profile.series.name == "OrdersController#index" }.with(idle_ns: 10**12, trace: "0af7651916cd43dd8448eb211c80319c")
    @store.commit([], {}, profiles: [Holdup::UnitProfile::Block.new(setting: slow.setting, host: slow.host, start_s: Holdup::UnitProfile::Block.start_of(slow.start_ns), seen: 1, profiles: [slow])])
    get "/endpoint", {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}
    assert_equal [slow.trace, *[Holdup::Reports::Figures::NONE] * 9], slowest.scan(%r{<td>([^<]*?)\s*</td></tr>}).flatten
  end

  def test_none_is_kept_says_why
    @sample = SampleWindows.new
    @app = dashboard
    get "/endpoint", {"unit" => "OrdersController#index", "kind" => "request"}
    assert_includes slowest, "No unit of it is kept singly"
    refute_includes slowest, "<table"
  end
end
