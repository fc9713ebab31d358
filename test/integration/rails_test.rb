# frozen_string_literal: true

require "test_helper"
require "json"
require "rails"
require "holdup"

class RailsIntegrationTest < Minitest::Test
  def serve(*command, **env, &)
    command = %w[bundle exec puma -C puma.rb] if command.empty?
    ServedApp.serve(*command, app: "rails", env: {RAILS_ENV: "production", WITH_HOLDUP: "1", **env}.transform_keys(&:to_s), &)
  end

  # With the plugin, Holdup is loaded before Rails; config.holdup is passed on all the same.
  def test_units_are_named_by_controller_and_action_with_and_without_the_plugin
    [{}, {WITH_PLUGIN: "1"}, {WITH_PLUGIN: "1", WORKERS: "2"}].each do |env|
      serve(**env) do |app|
        assert_equal 50 + 66, app.snapshots.first.header.series_capacity, env.inspect
        %w[/orders /orders/7 /orders/named /mounted/x /wp-login.php /up].each { |path| app.get(path) }
        app.stop
        expected = ["OrdersController#index", "OrdersController#show", "Orders: named", "GET /mounted", "GET (not found)"]
        assert_equal expected.to_h { |name| [name, 1] }, app.counts, env.inspect
        assert_equal 1, app.unit("OrdersController#show").errors
      end
    end
  end

  def test_initializers_the_outermost_middleware_and_a_setting_with_rails_the_application_and_a_jit_that_came_late
    serve do |app|
      answer = JSON.parse(app.get("/orders").body)
      assert_equal %w[holdup.configure holdup.middleware holdup.jobs holdup.start], answer["initializers"]
      assert_equal "Holdup::Instrumentation::Rack", answer["outermost"]
      app.wait { app.snapshots.any? { |snapshot| snapshot.setting["jit"] == "yjit" } }
      setting = app.snapshots.last.setting
      assert_equal ["Shop", Rails::VERSION::STRING, "production"], %w[app rails environment].map { |fact| setting[fact] }
    end
  end

  def test_what_is_no_server_is_not_measured
    probe = 'require "./config/environment"; puts "running=" + Holdup.running?.to_s'
    {"" => true, 'require "rake"; Rake.application.init("rake", ["x"]); ' => false,
     'require "rake"; Rake.application.init("rake", ["solid_queue:start"]); ' => true,
     "module Rails; module Console; end; end; " => false, 'require "rails/command"; ' => false,
     'ENV["RAILS_ENV"] = "test"; ' => false, 'ENV["RAILS_ENV"] = "test"; ENV["HOLDUP_ENABLED"] = "1"; ' => true}.each do |before, running|
      Dir.mktmpdir do |dir|
        env = {"HOLDUP_DIR" => dir, "HOLDUP_COLLECTOR" => "off", "RAILS_ENV" => "production", "WITH_HOLDUP" => "1"}
        script = 'require "rails"; ' + before + probe
        output, = Open3.capture2e(env, *ServedApp::BUNDLED_RUBY, "-e", script, chdir: File.join(ServedApp::APPS, "rails"))
        assert_includes output, "running=#{running}", before
      end
    end
  end

  def test_an_unknown_key_says_which_there_are
    require "rails"
    require "holdup/rails"
    error = assert_raises(Holdup::ConfigurationError) { Holdup::Railtie.apply({serieslimit: 1}, app: "x") }
    assert_match(/config.holdup can't be :serieslimit; give one of enabled, dir, /, error.message)
  end
end
