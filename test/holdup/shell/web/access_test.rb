# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::AccessTest < Minitest::Test
  include Dashboard

  OPS = {username: "ops", password: "gehe:im"}.freeze

  def test_denies_access_unless_a_user_is_configured
    @app = dashboard(auth: nil)
    %w[/ /requests.csv /health /nowhere].each do |path|
      get path
      assert_equal 403, last_response.status
      refute_includes last_response.body, "OrdersController"
    end
    assert_includes text, "config.web_auth"
  end

  # Each of them opens it where it is mounted now, copied as it is.
  def test_says_the_lines_that_open_it
    @app = dashboard(auth: nil)
    get "/", {}, {"SCRIPT_NAME" => "/ops/holdup"}
    *ruby, shell = last_response.body.scan(%r{<pre[^>]*><code>(.*?)</code></pre>}m)
      .map { |(code)| CGI.unescapeHTML(code) }
    password = {username: "ops", password: "x"}
    assert_equal [password, :none, password], ruby.map { |code| Opened.by(code).web_auth }
    assert_equal ["/ops/holdup"], ruby.map { |code| Opened.by(code).path }.uniq
    assert_match(/^HOLDUP_WEB_AUTH=none$/, shell)
    assert_equal 4, last_response.body.scan(/<p>(?:Rails|Any|Behind)/).size
  end

  # What code that opens the dashboard does.
  Opened = Struct.new(:web_auth, :path) do
    # @return [Opened] after the code has run
    def self.by(code)
      found = new
      holdup = Module.new { define_singleton_method(:configure) { |&block| block.call(found) } }
      holdup.const_set(:Web, :web)
      space = Module.new
      space.const_set(:Holdup, holdup)
      space.const_set(:ENV, {"DASHBOARD_PASSWORD" => "x"})
      space.define_singleton_method(:mount) { |places| found.path = places.fetch(:web) }
      space.define_singleton_method(:authenticate) { |_scope, _who, &block| block.call }
      space.define_singleton_method(:map) { |path, &_block| found.path = path }
      space.module_eval(code)
      found
    end
  end

  def test_a_name_and_its_password
    @app = dashboard(auth: OPS)
    get "/"
    assert_equal [401, 'Basic realm="Holdup", charset="UTF-8"'],
      [last_response.status, last_response.headers["www-authenticate"]]
    [%w[ops geheim], %w[op gehe:im], ["", ""], ["ops", ""]].each do |name, password|
      basic_authorize(name, password)
      get "/"
      assert_equal 401, last_response.status
    end
    basic_authorize("ops", "gehe:im")
    get "/"
    assert_equal 200, last_response.status
  end

  def test_damaged_credentials
    @app = dashboard(auth: OPS)
    ["Basic", "Basic !!!", "Bearer abc", "Basic #{["ops"].pack("m0")}", "\xFF\xFE",
      "Basic #{"A" * 100_000}"].each do |header|
      get "/", {}, {"HTTP_AUTHORIZATION" => header}
      assert_equal 401, last_response.status, header[0, 20]
    end
  end

  def test_whom_a_block_lets_in
    @app = dashboard(auth: ->(env) { env["HTTP_X_STAFF"] })
    get "/"
    assert_equal 403, last_response.status
    get "/", {}, {"HTTP_X_STAFF" => "1"}
    assert_equal 200, last_response.status
  end

  def test_only_by_the_names_it_knows
    @app = dashboard(hosts: %w[localhost [::1]])
    {"localhost:9000" => 200, "LOCALHOST" => 200, "[::1]:9000" => 200, "evil.example" => 403,
     "" => 403}.each do |host, status|
      get "/", {}, {"HTTP_HOST" => host}
      assert_equal status, last_response.status, host
    end
  end

  def test_nothing_can_be_sent
    {"cross-site" => 403, "same-site" => 403, "same-origin" => 405, nil => 405}.each do |site, status|
      post "/", {}, {"HTTP_SEC_FETCH_SITE" => site}.compact
      assert_equal status, last_response.status, site.inspect
    end
    %w[PUT DELETE PATCH TRACE].each do |method|
      custom_request(method, "/requests")
      assert_equal 405, last_response.status
    end
    head "/"
    assert_equal [200, ""], [last_response.status, last_response.body]
  end
end
