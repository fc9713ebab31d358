# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/instrumentation/unit_name"

class Holdup::Instrumentation::UnitNameTest < Minitest::Test
  class OrdersController
    def action_name = "show"
  end

  def setup
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
  end

  def named(env = {}, status: 200, custom: nil)
    env = {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/", "SCRIPT_NAME" => ""}.merge(env)
    Holdup::Instrumentation::UnitName.new(guard: @guard, custom:).call(env, status)
  end

  def path(path) = named({"PATH_INFO" => path})

  def test_rails_controller_and_action
    assert_equal "#{OrdersController.name}#show",
      named({"action_controller.instance" => OrdersController.new})
  end

  def test_sinatras_route
    assert_equal "GET /hello/:name", named({"sinatra.route" => "GET /hello/:name"})
  end

  def test_what_rails_mounts
    assert_equal "GET /jobs", named({"action_dispatch.route_uri_pattern" => "/jobs(.:format)"})
  end

  def test_else_the_method_and_the_first_segment
    assert_equal "GET /", path("/")
    assert_equal "GET /", path("")
    assert_equal "GET /orders", path("/orders")
    assert_equal "GET /orders", path("/orders/17/lines/3")
    assert_equal "GET /v1", path("/v1/orders")
    assert_equal "GET /robots.txt", path("/robots.txt")
    assert_equal "POST /orders", named({"PATH_INFO" => "/orders", "REQUEST_METHOD" => "POST"})
  end

  def test_the_part_that_a_router_has_cut_off_counts
    assert_equal "GET /shop", named({"SCRIPT_NAME" => "/shop", "PATH_INFO" => "/orders/1"})
  end

  def test_never_ids
    %w[/123 /123/edit /550e8400-e29b-41d4-a716-446655440000 /9f86d081884c /abc123def /user12345 //x
      /%E3%81%82].each do |path|
      assert_equal "GET /:id", path(path), path
    end
    assert_equal "GET /:id", path("/#{"a" * 100}")
  end

  def test_an_unknown_method_is_one_name_for_all
    assert_equal "OTHER /orders", named({"REQUEST_METHOD" => "HACK#{rand}", "PATH_INFO" => "/orders"})
    assert_equal "OTHER /", named({"REQUEST_METHOD" => nil})
  end

  def test_requests_without_a_route_that_are_not_found_share_a_name
    assert_equal "GET (not found)", named({"PATH_INFO" => "/wp-login.php"}, status: 404)
    assert_equal "GET /a/:b", named({"sinatra.route" => "GET /a/:b"}, status: 404)
  end

  def test_hostile_paths_are_harmless
    ["/#{"x" * 100_000}", "/\0\0", "/\xff\xfe", "/\xff\xfe".b, "/\u3042", "no slash",
      "/a\nb"].each do |hostile|
      assert_operator path(hostile).bytesize, :<, 100
    end
  end

  def test_a_request_that_goes_on
    names = Holdup::Instrumentation::UnitName.new(guard: @guard,
      custom: ->(_env) { flunk "not from another thread" })
    env = {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders/17"}
    before = Struct.new(:action_name).new
    assert_equal ["GET (no route yet)"] * 2,
      [env, env.merge("action_controller.instance" => before)].map { |now| names.so_far(now) }
    assert_equal "#{OrdersController.name}#show",
      names.so_far(env.merge("action_controller.instance" => OrdersController.new))
    assert_equal "GET /orders/:id",
      names.so_far(env.merge("action_dispatch.route_uri_pattern" => "/orders/:id(.:format)"))
  end

  def test_the_applications_proc_is_strongest
    custom = ->(env) { "GraphQL" if env["PATH_INFO"] == "/graphql" }
    assert_equal "GraphQL", named({"PATH_INFO" => "/graphql", "sinatra.route" => "POST /graphql"}, custom:)
    assert_equal "GET /orders", named({"PATH_INFO" => "/orders"}, custom:)
  end

  def test_a_proc_that_fails_or_answers_nonsense_names_nothing
    assert_equal "GET /", named(custom: ->(_env) { raise "theirs" })
    assert_match(/name failed.*theirs/, @log.lines.first)
    assert_equal "GET /", named(custom: ->(_env) { 7 })
    assert_equal "GET /", named(custom: ->(_env) { "" })
  end
end
