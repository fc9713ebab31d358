# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::WebTest < Minitest::Test
  include AsNobody
  include Dashboard

  def in_environment(variables)
    before = variables.keys.to_h { |name| [name, ENV[name]] }
    variables.each { |name, value| ENV[name] = value }
    yield
  ensure
    before.each { |name, value| ENV[name] = value }
  end

  def test_each_answer_is_closed_to_others
    get "/"
    assert_predicate last_response, :ok?
    policy = last_response.headers["content-security-policy"]
    ["default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' data:",
      "frame-ancestors 'self'", "base-uri 'none'", "form-action 'self'"]
      .each { |rule|
      assert_includes policy.split("; "), rule
    }
    assert_equal "nosniff", last_response.headers["x-content-type-options"]
    assert_nil last_response.headers["set-cookie"]
    # The text for the team ends with the address of the page itself.
    own = %r{http://example\.org/\?since=[^<"]*</textarea>}
    assert_equal 1, markup.scan(own).size
    assert_empty markup.sub(own, "").scan(/<script|style=|\son\w+=|https?:/i)
  end

  def test_refusals_and_files_are_as_closed_as_pages
    require "holdup/loader"
    script = "/assets/#{Holdup::Web::Assets.new.name("main.js")}"
    open = ["/nowhere", "/endpoint", "/overview.csv", "/series/overview", script]
    answers = open.map { |path| get(path) } + [post("/", {}, {"HTTP_SEC_FETCH_SITE" => "cross-site"}),
      Rack::MockRequest.new(dashboard(auth: nil)).get("/")]
    assert_equal [404, 400, 200, 200, 200, 403, 403], answers.map(&:status)
    answers.each do |answer|
      assert_includes answer.headers["content-security-policy"], "default-src 'none'; "
      assert_equal ["SAMEORIGIN", "nosniff", nil],
        answer.headers.values_at("x-frame-options", "x-content-type-options", "set-cookie")
    end
  end

  def test_it_is_not_measured_and_leaves_the_thread_as_it_was
    env = Rack::MockRequest.env_for("/")
    before = Thread.current.priority
    app.call(env)
    assert env.key?("holdup.unmeasured")
    assert_equal before, Thread.current.priority
  end

  def test_closed_in_production_open_in_development
    {
      {"RAILS_ENV" => "production", "RACK_ENV" => nil, "APP_ENV" => nil} => true,
      {"RAILS_ENV" => nil, "RACK_ENV" => nil, "APP_ENV" => nil} => true,
      {"RAILS_ENV" => "development", "RACK_ENV" => "production", "APP_ENV" => nil} => true,
      {"RAILS_ENV" => nil, "RACK_ENV" => "test", "APP_ENV" => nil} => false
    }.each do |variables, closed|
      in_environment(variables.merge("HOLDUP_STORE" => "/nonexistent/store.sqlite3",
        "HOLDUP_WEB_AUTH" => nil)) do
        assert_equal closed, Holdup::Web.call(Rack::MockRequest.env_for("/")).first == 403, variables.inspect
      end
    end
  end

  def test_loading_it_loads_no_library
    script = "require 'holdup/shell/web'; puts $LOADED_FEATURES.grep(/sequel|roda|tilt|sqlite|analysis/)"
    lib = File.expand_path("../../../lib", __dir__)
    output = fresh_ruby(script, options: ["-I#{lib}"], prelude: "")
    assert_empty output
  end

  def test_a_missing_store_is_an_error_page
    @app = Holdup::Web.new(store: -> { Holdup::Store.open("/nonexistent/store.sqlite3", read_only: true) },
      dir: "/nonexistent", auth: :none)
    get "/"
    assert_equal 503, last_response.status
    assert_includes CGI.unescapeHTML(text),
      "Overview This can't be shown now. The store /nonexistent/store.sqlite3 and the folder /nonexistent " \
      "do not exist. The collector creates both"
    get "/health"
    assert_equal 200, last_response.status
  end

  # By somebody who may write neither it nor beside it; the first request loads what nobody else may read.
  def test_a_store_that_may_only_be_read
    CommandLine.instance_method(:with_store).bind_call(self, sample) do |path|
      endpoints_of(path)
      status, page = reading_only(path) { as_nobody { endpoints_of(path, writable: false) } }
      assert_equal 200, status
      assert_includes page, "OrdersController"
    end
  end

  def reading_only(path)
    File.chmod(0o444, path)
    File.chmod(0o555, File.dirname(path))
    yield
  ensure
    File.chmod(0o755, File.dirname(path))
  end

  def endpoints_of(path, writable: true)
    found = [path, File.dirname(path)].any? { |one| File.writable?(one) }
    raise "#{path} can be written" if found && !writable
    app = dashboard(store: Holdup::Store.open(path, read_only: true))
    status, _, body = app.call(Rack::MockRequest.env_for("/requests"))
    [status, body.each.to_a.join]
  end

  def test_a_failure_of_holdup_is_a_page_and_in_the_log
    @app = dashboard(store: Object.new)
    errors = StringIO.new
    get "/", {}, {"rack.errors" => errors}
    assert_equal 500, last_response.status
    assert_includes text, "The application is not affected"
    assert_includes errors.string, "NoMethodError"
  end
end
