# frozen_string_literal: true

require "test_helper"
require "hanami/router"
require "holdup/agent/instrumentation/hanami_routes"

# With Hanami's router, in this process.
class Holdup::Instrumentation::HanamiRoutesTest < Minitest::Test
  include MeasuredRequests

  OK = ->(_env) { [200, {}, ["ok"]] }
  INNER = Hanami::Router.new { get "/users/:id", to: OK }
  BOOKS = Hanami::Router.new do
    get "/books", to: OK
    get "/books/:id", id: /\d+/, to: OK
    post "/books/:book_id/lines/:id", to: OK
    get "/files/*path", to: OK
    scope("admin") { get "/reports/:year", to: OK }
    mount INNER, at: "/tenants/:tenant"
    mount ->(_env) { [200, {}, ["plain"]] }, at: "/plain"
  end

  def setup
    super
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    (@@routes ||= Holdup::Instrumentation::HanamiRoutes.new(guard: @guard)).install
  end

  # @return [Array(Integer, String)] status, and the name of the request
  def ask(path, verb: "GET")
    status, _, body = middleware(BOOKS).call(env(path, REQUEST_METHOD: verb))
    body.close if body.respond_to?(:close)
    [status, recorded.name]
  end

  def test_a_request_has_the_pattern_of_its_route
    assert_equal [200, "GET /books"], ask("/books")
    assert_equal [200, "GET /books/:id"], ask("/books/4711")
    assert_equal [200, "POST /books/:book_id/lines/:id"], ask("/books/4711/lines/3", verb: "POST")
    assert_equal [200, "GET /admin/reports/:year"], ask("/admin/reports/2026")
  end

  def test_what_is_mounted_begins_with_where_it_is
    assert_equal [200, "GET /tenants/:tenant/users/:id"], ask("/tenants/acme/users/7")
    assert_equal [200, "GET /plain"], ask("/plain/anything/4711")
  end

  def test_without_a_route_the_path_names_it
    assert_equal [404, "GET (not found)"], ask("/books/none")
    assert_equal [404, "GET (not found)"], ask("/wp-admin")
    assert_equal [200, "GET /files"], ask("/files/a/b/4711")
    assert_empty @guard.failures
  end
end
