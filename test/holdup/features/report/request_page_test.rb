# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# From an endpoint and from a minute to one request, and back.
class Holdup::Report::RequestPageTest < Minitest::Test
  include Dashboard

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 2))
  ORDERS = "OrdersController#index"

  def app
    @app ||= dashboard(store:, clock: CommandLine::Still.new(now_s: PLAYED.to_s))
  end

  def store
    @store ||= Holdup::Store.open("memory:").tap do |empty|
      PLAYED.fill(empty)
      empty.commit([], {}, slowest: Holdup::SlowestBlock.of([slow(empty)]))
    end
  end

  # One that waited for long, and is kept with what it waited for.
  def slow(store)
    unit = store.unit_samples(PLAYED.from_s, PLAYED.to_s).find { |one| one.series.name == ORDERS }
    @unit = unit.with(weight: 1.0, stalled_ns: 9 * 10**9, concurrency: nil, rest_ns: nil)
    part = Holdup::SlowUnit::Part.new(kind: :pair, name: "ReportsController#sales", ns: 5 * 10**9)
    idle = Holdup::Segment::Layout::SLOWEST_TIMES.to_h { |name| [name, 0] }
    Holdup::SlowUnit.new(unit: @unit, parts: [part], id: "6f1c2d34-5e6f", **idle)
  end

  def first_request = CGI.unescapeHTML(markup[%r{href="(/request\?[^"]*)"}, 1])

  def test_the_slowest_of_an_endpoint_has_a_page_with_its_reason
    get "/endpoint", {"since" => "10m", "unit" => ORDERS, "kind" => "request"}
    get first_request

    assert_equal 200, last_response.status
    assert_match(/Took 9\.\d\d s\. Waited 9\.00 s for the GVL: ReportsController#sales held it 5\.00 s/,
      text)
    assert_includes text, "host web-1, pid 7"
    assert_match(/id in logs\s+6f1c2d34-5e6f/, text)
    assert_includes CGI.unescapeHTML(text), "holdup capture --until 'stall > 7 s' --seconds 600"
  end

  def test_a_minute_has_its_requests_the_slowest_first
    app
    since, till = [0, 60].map { |more| Time.at(@unit.end_ns / 10**9 / 60 * 60 + more).utc.iso8601 }
    get "/slowest", {"since" => since, "until" => till}

    assert_includes markup[%r{<tbody>.*?</tr>}m], ORDERS
    assert_equal @unit.start_ns.to_s, first_request[/at=(\d+)/, 1]
    get "/slowest", {"since" => since, "until" => till, "unit" => "QuotesController#show"}
    refute_includes text, ORDERS
  end

  def test_leads_to_its_minute_and_to_its_endpoint
    get "/endpoint", {"since" => "10m", "unit" => ORDERS, "kind" => "request"}
    get first_request

    assert_match(%r{href="/slowest\?[^"]*since=20[^"]*until=20}, markup)
    assert_match(%r{href="/endpoint\?[^"]*unit=OrdersController%23index}, markup)
  end

  # A sample has the sum of io, locks and sleep only.
  def test_one_of_the_sample
    app
    orders = store.unit_samples(PLAYED.from_s, PLAYED.to_s).select { |one| one.series.name == ORDERS }
    unit = orders.find { |one| one.start_ns != @unit.start_ns }
    get "/request", Holdup::Report::RequestPage.params(unit)

    assert_equal 200, last_response.status
    assert_match(/Took [\d.]+ ms\./, text)
  end

  def test_says_where_it_is_no_longer_kept
    get "/request", {"unit" => ORDERS, "kind" => "request", "at" => "1000000000", "took" => "5", "pid" => "7"}

    assert_includes text, "no longer kept one by one"
  end

  def test_an_address_has_to_say_which_one
    get "/request", {"unit" => ORDERS}
    assert_equal 400, last_response.status
    get "/request", {"at" => "1", "took" => "5"}
    assert_equal 400, last_response.status
  end

  def test_the_overview_leads_to_the_slowest_one_itself
    get "/", {"since" => "10m"}
    action = markup[%r{<section class="action">.*?</section>}m]

    assert_match(%r{href="/request\?[^"]*at=\d+}, action)
  end
end
