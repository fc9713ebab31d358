# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/queue_time"
require "holdup/agent/instrumentation/rack"
require "holdup/agent/instrumentation/request_units"
require "holdup/agent/instrumentation/roda_routes"
require "holdup/agent/instrumentation/unit_name"
require "rack/mock_request"
require "sinatra/base"
require "grape"
require "roda"

# Names as the real frameworks give them.
class Holdup::Instrumentation::FrameworksTest < Minitest::Test
  class Hello < Sinatra::Base
    set :host_authorization, {permitted_hosts: []}
    get("/hello/:name") { "hi" }
    get(%r{/files/(\d+)}) { halt 404 }
  end

  class Users < Grape::API
    version "v1", using: :path
    resource :users do
      route_param(:id) { get { {id: params[:id]} } }
    end
  end

  class Shop < Roda
    route do |r|
      r.on("orders", Integer) { |id| r.get { "order #{id}" } }
      r.get("named") { Holdup::Recorder::OpenUnit.current.name = "Shop: named" }
    end
  end

  def setup
    @probe = RecordingProbe.new
    @guard = guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    clock = HandClock.new
    @requests = Holdup::Instrumentation::RequestUnits.new(
      recorder: Holdup::Recorder.new(probe: @probe, guard:),
      ignored: /\A\/up\z/,
      names: Holdup::Instrumentation::UnitName.new(guard:),
      queue: Holdup::Instrumentation::QueueTime.new(header: "X-Request-Start", clock:, on_clamp: -> {})
    )
  end

  def named(app, path)
    Rack::MockRequest.new(Holdup::Instrumentation::Rack.new(app, @requests)).get(path)
    @probe.recorded.last.name
  end

  def test_sinatra
    assert_equal "GET /hello/:name", named(Hello, "/hello/ada")
    assert_match(/\AGET .*files/, named(Hello, "/files/17"))
  end

  def test_grape
    assert_equal "GET /:version/users/:id", named(Users, "/v1/users/17").sub("GET /v1", "GET /:version")
  end

  def test_roda_has_what_its_tree_matched_or_its_own_name
    shop = Shop.freeze.app
    Holdup::Instrumentation::RodaRoutes.new(guard: @guard).install
    assert_equal "GET /orders/:integer", named(shop, "/orders/17")
    assert_equal "Shop: named", named(shop, "/named")
  end

  def test_sinatra_under_a_map
    app = Rack::Builder.app { map("/api") { run Hello } }
    assert_equal "GET /hello/:name", named(app, "/api/hello/ada")
  end
end
