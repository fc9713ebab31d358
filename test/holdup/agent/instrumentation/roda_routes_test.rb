# frozen_string_literal: true

require "test_helper"
require "roda"
require "holdup/agent/instrumentation/roda_routes"

# With Roda, in this process.
class Holdup::Instrumentation::RodaRoutesTest < Minitest::Test
  include MeasuredRequests

  ID = 4711
  ROUTES = proc do |r|
    r.root { "home" }
    r.on "orders" do
      r.is(Integer) { |id| "order #{id}" }
      r.on :customer, String do |customer, region|
        r.get("lines", /(\d+)-(\d+)/) { |from, to| [customer, region, from, to].join(" ") }
        r.post(true) { "made" }
      end
      r.get { "all" }
    end
    r.on("order#{ID}") { "one" }
    r.on(%w[cart basket], method: :get) { |name| name }
    r.get("a" * 300) { "long" }
  end
  # Roda has faster methods for an application that is frozen.
  APPS = [Class.new(Roda) { route(&ROUTES) }.app, Class.new(Roda) { route(&ROUTES) }.freeze.app].freeze

  def setup
    super
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    (@@routes ||= Holdup::Instrumentation::RodaRoutes.new(guard: @guard)).install
  end

  # @return [Array(String, String)] what the application answers, and the name of the request
  def ask(path, verb: "GET")
    answers = APPS.map do |app|
      _, _, body = middleware(app).call(env(path, REQUEST_METHOD: verb))
      text = body.each.to_a.join
      body.close
      [text, recorded.name]
    end
    assert_equal 1, answers.uniq.size, "a frozen application is the same"
    answers.first
  end

  def test_a_request_has_the_pattern_of_its_route
    assert_equal ["order 4711", "GET /orders/:integer"], ask("/orders/4711")
    assert_equal ["all", "GET /orders"], ask("/orders")
    assert_equal ["jane north 1 2", "GET /orders/:customer/:string/lines/:any"],
      ask("/orders/jane/north/lines/1-2")
    assert_equal ["made", "POST /orders/:customer/:string"], ask("/orders/jane/north", verb: "POST")
  end

  def test_begins_with_where_the_application_is_mounted
    answer = middleware(APPS.first).call(env("/orders", SCRIPT_NAME: "/shop"))
    answer.last.close
    assert_equal "GET /shop/orders", recorded.name
  end

  def test_matchers_of_more_than_one_text_are_any
    assert_equal ["basket", "GET /:any"], ask("/basket")
  end

  def test_what_the_application_computes_may_be_an_id
    assert_equal ["one", "GET /:any"], ask("/order4711")
  end

  def test_without_a_route_the_path_names_it
    assert_equal ["home", "GET /"], ask("/")
    assert_equal ["", "GET (not found)"], ask("/admin/php")
    assert_equal ["long", "GET /:id"], ask("/#{"a" * 300}")
  end

  def test_a_failure_leaves_the_request_alone
    routes = Holdup::Instrumentation::RodaRoutes.new(guard: @guard)
    routes.matched(nil, ["orders"])
    assert_equal({name: 1}, @guard.failures)
  end
end
