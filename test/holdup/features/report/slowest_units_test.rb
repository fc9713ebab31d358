# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::SlowestUnitsTest < Minitest::Test
  include Dashboard

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 4))

  def app
    @app ||= begin
      require "holdup/loader"
      store = @store = Holdup::Store.open("memory:").tap { |empty| PLAYED.fill(empty) }
      @unit_samples = store.unit_samples(PLAYED.from_s, PLAYED.to_s).to_a
      dashboard(store:, clock: CommandLine::Still.new(now_s: PLAYED.to_s))
    end
  end

  def slowest
    last_response.body[%r{The slowest, one by one</h2>.*?</section>}m]
  end

  def test_the_slowest_of_one_endpoint
    get "/endpoint", {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}
    own = @unit_samples.select { |unit_sample| unit_sample.series.name == "OrdersController#index" }
    longest = own.map(&:wall_ns).max(10).map { |ns| Holdup::View::Figures.duration(ns) }
    shown = slowest.scan(%r{<tr>\s*<th scope="row">.*?</th>\s*<td[^>]*>([^<]*?)\s*</td>}m).flatten
    assert_equal longest, shown
    assert_includes text, "The slowest of #{Holdup::View::Figures.count(own.size)} kept one by one"
    assert_includes text, "web-1, pid 7"
    assert_equal 10, slowest.scan(/<time datetime="[^"]+" data-seconds>/).size
  end

  # Requests came for four minutes, three hours before the span's end.
  def test_the_slowest_of_a_span_whose_end_has_none
    app
    @app = dashboard(store: @store, clock: CommandLine::Still.new(now_s: PLAYED.to_s + 3 * 3600))
    get "/endpoint", {"since" => "6h", "unit" => "OrdersController#index", "kind" => "request"}
    assert_equal 10, slowest.scan(/<time datetime="[^"]+" data-seconds>/).size
    begin_of_data = Time.at(PLAYED.from_s).strftime("%F %H:%M")
    assert_match(/kept one by one, .*#{begin_of_data}/, slowest.gsub(/<[^>]+>/, ""))
  end

  # Ten minutes of each hour: of a day 24 such periods are kept, and the endpoint is in the one before the
  # last only.
  def test_of_a_long_span_some_periods_are_read_and_that_is_said
    app
    others = @unit_samples.reject { |unit_sample| unit_sample.series.name == "OrdersController#index" }
    20.times { |turn| keep(others, hours: turn + 1) }
    @app = dashboard(store: @store, clock: CommandLine::Still.new(now_s: PLAYED.to_s + 24 * 3600))
    get "/endpoint", {"since" => "2d", "unit" => "ProductsController#index", "kind" => "request"}
    assert_includes slowest, "Holdup read 6 of 21 periods of ten minutes"
    get "/endpoint", {"since" => "2d", "unit" => "OrdersController#index", "kind" => "request"}
    assert_equal 10, slowest.scan(/<time datetime="[^"]+" data-seconds>/).size
  end

  def keep(unit_samples, hours:)
    moved = unit_samples.first(20).map { |unit_sample|
      unit_sample.with(start_ns: unit_sample.start_ns + hours * 3600 * 10**9)
    }
    @store.commit([], {}, unit_samples: Holdup::SampleBlock.of(moved))
  end

  def test_traces_where_there_are_some
    parameters = {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}
    refute_includes get("/endpoint", parameters).body, ">trace</th>"
    orders = @unit_samples.find { |unit_sample| unit_sample.series.name == "OrdersController#index" }
    slow = orders.with(idle_ns: 10**12, trace: "0af7651916cd43dd8448eb211c80319c")
    block = Holdup::SampleBlock.new(
      setting: slow.setting,
      host: slow.host,
      start_s: Holdup::SampleBlock.start_of(slow.start_ns),
      seen: 1,
      unit_samples: [slow]
    )
    @store.commit([], {}, unit_samples: [block])
    get "/endpoint", {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}
    assert_equal [slow.trace, *[Holdup::View::Figures::NONE] * 9],
      slowest.scan(%r{<td[^>]*>([^<]*?)\s*</td>\s*</tr>}).flatten
  end

  # Of the last minute the slowest are kept; what is older is a sample.
  def test_the_slowest_that_were_kept_say_why_they_were_slow
    app
    unit = @unit_samples.find { |one| one.series.name == "OrdersController#index" }
    unit = unit.with(weight: 1.0, stalled_ns: 120 * 10**9, concurrency: nil, rest_ns: nil)
    part = Holdup::SlowUnit::Part.new(kind: :pair, name: "ReportsController#sales", ns: 50 * 10**9)
    idle = Holdup::Segment::Layout::SLOWEST_TIMES.to_h { |name| [name, 0] }
    slow = Holdup::SlowUnit.new(unit:, parts: [part], id: "6f1c2d34-5e6f", **idle)
    @store.commit([], {}, slowest: Holdup::SlowestBlock.of([slow]))
    get "/endpoint", {"since" => "10m", "unit" => "OrdersController#index", "kind" => "request"}
    assert_includes text, "Waited 120 s for the GVL: ReportsController#sales held it 50.0 s."
    assert_match(/From 20\S+ \S+ \S+ on the ten slowest of each minute are kept\./, text)
    assert_includes text, "The slowest of"
    assert_equal 1, slowest.scan(%r{<td[^>]*>6f1c2d34-5e6f\s*</td>}).size
  end

  def test_none_is_kept_says_why
    @sample = SampleWindows.new
    @app = dashboard
    get "/endpoint", {"unit" => "OrdersController#index", "kind" => "request"}
    assert_includes slowest, "This span has no single requests or jobs of it"
    refute_includes slowest, "<table"
  end
end
