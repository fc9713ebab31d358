# frozen_string_literal: true

require "test_helper"
require "json"
require "rails"
require "holdup"

class RailsIntegrationTest < Minitest::Test
  def serve(*command, **env, &)
    command = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb"] if command.empty?
    ServedApp.serve(*command,
      app: "rails", env: {RAILS_ENV: "production", WITH_HOLDUP: "1", **env}.transform_keys(&:to_s), &)
  end

  # With the plugin, Holdup is loaded before Rails; config.holdup is passed on all the same.
  def test_units_are_named_by_controller_and_action_with_and_without_the_plugin
    [{}, {WITH_PLUGIN: "1"}, {WITH_PLUGIN: "1", WORKERS: "2"}].each do |env|
      serve(**env) do |app|
        calls = 50 + 64 # as many series again, and one for each kind
        methods = 128 + 1 # and one for all others
        repeats = 64 + 1
        transactions = 128 + 2 # and one for all others, and one for calls in them
        lock_places = 32 + 1
        capacity = app.snapshots.first.header.series_capacity
        expected = 50 + 66 + calls + methods + repeats + transactions + lock_places
        assert_equal expected, capacity, env.inspect
        %w[/orders /orders/7 /orders/named /mounted/x /wp-login.php /up].each { |path| app.get(path) }
        app.stop
        expected = ["OrdersController#index", "OrdersController#show", "Orders: named", "GET /mounted",
          "GET (not found)"]
        assert_equal expected.to_h { |name| [name, 1] }, app.counts, env.inspect
        assert_equal 1, app.unit("OrdersController#show").errors
      end
    end
  end

  # The setting has Rails, the application, and a JIT that came late.
  def test_initializers_the_outermost_middleware_and_the_setting
    serve(RAILS_YJIT: "1") do |app|
      answer = JSON.parse(app.get("/orders").body)
      assert_equal %w[holdup.configure holdup.middleware holdup.jobs holdup.start], answer["initializers"]
      assert_equal "Holdup::Instrumentation::Rack", answer["outermost"]
      app.wait { app.snapshots.any? { |snapshot| snapshot.setting["jit"] == "yjit" } }
      setting = app.snapshots.last.setting
      facts = %w[app rails environment].map { |fact| setting[fact] }
      assert_equal ["Shop", Rails::VERSION::STRING, "production"], facts
    end
  end

  def test_measures_under_puma_when_gems_have_loaded_commands
    [{}, {WORKERS: "2", PRELOAD: "1"}, {WORKERS: "2", PRELOAD: "0"}].each do |env|
      serve(**env, WITH_COMMANDS: "1", EAGER_LOAD: "1") do |app|
        app.wait { app.live.size == env.fetch(:WORKERS, "1").to_i }
        app.get("/orders")
        app.stop
        assert_equal({"OrdersController#index" => 1}, app.counts, env.inspect)
        assert_equal 1, app.log.scan("holdup:").size, app.log
        measuring = /holdup: measuring puma \((worker 0, )?pid \d+\) into #{app.dir}/
        assert_match(/#{measuring}; `holdup report` shows it, HOLDUP_ENABLED=false switches it off/, app.log)
      end
    end
  end

  def test_says_once_that_it_does_not_measure_and_how_to_change_it
    expected = "holdup: not measuring: HOLDUP_ENABLED or config.enabled is false; " \
      "HOLDUP_ENABLED=true measures"
    %w[0 1].each do |preload|
      serve(HOLDUP_ENABLED: "false", WORKERS: "2", PRELOAD: preload) do |app|
        app.get("/orders")
        servers = -> { app.running_servers.map { |server| [server.name, server.loaded, server.measures] } }
        app.wait { servers.call == [["puma", true, false]] * 2 } # the other worker may load it still
        app.wait { app.log.include?("holdup:") } # the worker that says it may boot still
        app.stop
        assert_equal [expected], app.log.lines(chomp: true).grep(/holdup:/), "PRELOAD=#{preload}"
      end
    end
  end

  def run_rails(*command, input: "", **env)
    Dir.mktmpdir do |dir|
      env = {"HOLDUP_DIR" => dir, "HOLDUP_COLLECTOR" => "off", "RAILS_ENV" => "production",
             "WITH_HOLDUP" => "1"}
        .merge(env.transform_keys(&:to_s))
      output, = Open3.capture2e(env, *ServedApp::BUNDLED_RUBY, *command, stdin_data: input,
        chdir: File.join(ServedApp::APPS, "rails"))
      output
    end
  end

  MEASURING = 'puts "measuring=" + Holdup.running?.to_s'

  # What is typed => what it reads.
  TOOLS = {
    %w[bin/rails console] => MEASURING,
    ["bin/rails", "runner", MEASURING] => "",
    %w[bin/rails report] => "",
    %w[bin/rails db:migrate] => "",
    %w[-S rake report] => "",
    ["-S", "irb", "-r", "./config/environment"] => MEASURING
  }.freeze

  def test_consoles_runners_and_tasks_measure_nothing_and_print_nothing
    TOOLS.each do |command, input|
      output = run_rails(*command, input:)
      assert_includes output, "measuring=false", command.inspect
      refute_match(/holdup:/, output, command.inspect)
    end
  end

  def test_a_tool_logs_at_level_debug_why_it_does_not_measure
    output = run_rails("bin/rails", "runner", MEASURING, LOGGED: "1")
    assert_equal 1, output.scan("holdup:").size, output
    reason = /`rails runner` takes no requests and no jobs/
    assert_match(/holdup: not measuring: #{reason}; HOLDUP_ENABLED=true measures/, output)
  end

  def test_a_tool_is_measured_on_request
    assert_match(/^measuring=true/, run_rails("bin/rails", "runner", MEASURING, HOLDUP_ENABLED: "TRUE"))
  end

  def test_a_program_of_the_application_is_measured
    script = "require \"./config/environment\"; #{MEASURING}"
    assert_match(/^measuring=true/, run_rails("-e", script, WITH_COMMANDS: "1"))
    assert_match(/^measuring=false/, run_rails("-e", script, RAILS_ENV: "test"))
    assert_match(/^measuring=true/, run_rails("-e", script, RAILS_ENV: "test", HOLDUP_ENABLED: "1"))
  end

  def test_a_task_that_runs_jobs_is_measured
    script = "require \"./config/environment\"; #{MEASURING}"
    {"x" => false, "solid_queue:start" => true}.each do |task, measuring|
      rake = "require \"rake\"; Rake.application.init(\"rake\", [#{task.inspect}]); "
      assert_match(/^measuring=#{measuring}/, run_rails("-e", rake + script), task)
    end
  end

  def test_an_unknown_key_says_which_there_are
    require "rails"
    require "holdup/agent/rails"
    error = assert_raises(Holdup::ConfigurationError) { Holdup::Railtie.apply({serieslimit: 1}, app: "x") }
    assert_match(/config.holdup can't be :serieslimit; give one of enabled, dir, /, error.message)
  end
end
