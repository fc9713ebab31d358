# frozen_string_literal: true

require "test_helper"

# Every way to start Puma, in an application with the gems that Rails applications use most: all requests are
# measured, once. `bin/test` runs six of the 36 ways: each value with each value of another column, but for
# servers with workers, of which it runs five of nine. `bin/test --thorough` adds those, and
# `bin/test --nightly` all others.
class CommonGemsTest < Minitest::Test
  REQUESTS = 7

  SERVERS = {
    "puma" => CommonGemsApp::BARE_PUMA,
    "rails_server" => %w[bin/rails server -b 127.0.0.1],
    "bundle_exec_puma" => %w[bundle exec puma -C config/puma.rb]
  }.freeze
  PLUGIN = {"with_the_plugin" => {"WITH_PLUGIN" => "1"}, "without_the_plugin" => {}}.freeze
  EAGER_LOAD = {"eagerly_loaded" => true, "lazily_loaded" => false}.freeze
  WORKERS = {
    "single" => {},
    "preloading" => {"WORKERS" => "2", "PRELOAD" => "1"},
    "not_preloading" => {"WORKERS" => "2"}
  }.freeze

  # What is loaded and does not run: other servers, job runners, commands.
  OTHERS = %w[
    Unicorn::HttpServer Falcon::Server WEBrick::HTTPServer Capybara::Server PumaWorkerKiller
    Sidekiq::Web SolidQueue::Supervisor GoodJob::CLI Resque::Worker Delayed::Worker Rake::Application
  ].freeze
  EAGERLY_LOADED = %w[Rails::Command::Base IRB].freeze

  QUICK = [
    %w[puma with_the_plugin eagerly_loaded single],
    %w[rails_server without_the_plugin lazily_loaded single],
    %w[bundle_exec_puma with_the_plugin lazily_loaded preloading],
    %w[bundle_exec_puma without_the_plugin eagerly_loaded preloading],
    %w[rails_server with_the_plugin eagerly_loaded not_preloading],
    %w[puma without_the_plugin lazily_loaded not_preloading]
  ].freeze
  THOROUGH = [
    %w[puma with_the_plugin lazily_loaded preloading],
    %w[rails_server without_the_plugin eagerly_loaded preloading],
    %w[bundle_exec_puma with_the_plugin eagerly_loaded single],
    %w[bundle_exec_puma without_the_plugin lazily_loaded not_preloading]
  ].freeze

  SERVERS.keys.product(PLUGIN.keys, EAGER_LOAD.keys, WORKERS.keys).each do |way|
    test = define_method(:"test_#{way.join("_")}") { assert_measured(*way) }
    next if QUICK.include?(way)
    THOROUGH.include?(way) ? thorough(test) : nightly(test)
  end

  def test_the_guide_says_how_many_gems_there_are
    gems = File.readlines(CommonGemsApp::GEMFILE).grep(/\Agem "/).grep_v(/"holdup"/)
    guide = File.read(File.join(ServedApp::ROOT, "docs/guide/rails.md"))
    assert_includes guide, "#{gems.size} common gems"
  end

  def assert_measured(server, plugin, eager_load, workers)
    env = {**PLUGIN.fetch(plugin), **WORKERS.fetch(workers)}
    env.update(CommonGemsApp::BARE_ENV) if server == "puma"
    processes = env.fetch("WORKERS", "1").to_i
    eager_load = EAGER_LOAD.fetch(eager_load)
    CommonGemsApp.serve(*SERVERS.fetch(server), eager_load:, processes:, env:) do |app|
      loaded = app.get("/orders/loaded").body.lines(chomp: true)
      assert_empty [*OTHERS, *(EAGERLY_LOADED if eager_load)] - loaded
      (REQUESTS - 1).times { assert_equal "200", app.get("/orders").code }
      app.wait { app.measured.fetch(:request, 0) >= REQUESTS }
      assert_equal({request: REQUESTS}, app.measured)
      assert_equal({"OrdersController#loaded" => 1, "OrdersController#index" => REQUESTS - 1}, app.counts)
      assert_equal %w[puma], app.said
    end
  end
end
