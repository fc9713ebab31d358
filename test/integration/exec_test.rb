# frozen_string_literal: true

require "test_helper"

# An application whose Gemfile does not know Holdup, untouched, with one more variable in its environment.
class ExecIntegrationTest < Minitest::Test
  BOOT = File.join(ServedApp::ROOT, "lib/holdup/agent/exec_boot")

  def setup
    @root = Dir.mktmpdir
    File.write(gemfile, "source \"https://rubygems.org\"\ngem \"puma\"\ngem \"rails\"\n")
  end

  def teardown = FileUtils.remove_entry(@root)

  def gemfile = File.join(@root, "Gemfile")

  def environment(**more)
    OtherBundle.of(gemfile, RUBYOPT: "-r#{BOOT}", RAILS_ENV: "production", WITHOUT_HOLDUP: "1", **more)
  end

  def serve(app, command: %w[bundle exec puma -C puma.rb], **env, &)
    ServedApp.serve(*command, app:, env: environment(**env), &)
  end

  def test_a_plain_rack_application
    serve("plain", HOLDUP_IGNORE_PATHS: "/up") do |app|
      %w[/ /orders/1 /boom].each { |path| app.get(path) }
      app.stop
      assert_equal({"GET /" => 1, "GET /orders" => 1, "GET /boom" => 1}, app.counts)
      assert_equal "puma", app.snapshots.first.setting["server"]
    end
  end

  def test_a_rails_application_in_a_cluster
    serve("rails", WORKERS: "2") do |app|
      assert_match(/holdup.middleware/, app.get("/orders").body)
      app.get("/orders/7")
      app.stop
      assert_equal({"OrdersController#index" => 1, "OrdersController#show" => 1}, app.counts)
      assert_equal [0, 1], app.snapshots.map { |snapshot| snapshot.header.worker_index }.sort
    end
  end

  def test_an_application_that_names_the_plugin_itself_has_one_of_it
    env = {BUNDLE_GEMFILE: ENV.fetch("BUNDLE_GEMFILE"), WITHOUT_HOLDUP: nil}
    serve("plain", **env) do |app|
      app.get("/")
      app.stop
      assert_equal({"GET /" => 1}, app.counts)
      assert_equal 1, app.snapshots.size
    end
  end

  def test_other_rubies_are_left_alone
    script = "p $LOADED_FEATURES.grep(%r{/lib/holdup}).map { |path| File.basename(path) }, " \
      "defined?(JSON), Gem.loaded_specs.key?(\"json\")"
    output, = Open3.capture2e(environment(BUNDLE_GEMFILE: nil, BUNDLE_PATH: nil), RbConfig.ruby, "-e", script)
    assert_equal "[\"exec_boot.rb\"]\nnil\nfalse\n", output
  end

  def test_tools_are_left_alone
    script = File.join(@root, "rake")
    File.write(script, "p Object.singleton_class.include?(Holdup::ExecBoot::Watch)")
    output, = Open3.capture2e(environment(BUNDLE_GEMFILE: nil), RbConfig.ruby, script)
    assert_equal "false\n", output
  end

  def test_a_constant_of_that_name_that_is_something_else
    script = "Puma = 3; class Rails; Engine = 4; end; " \
      "module Other; module Puma; Launcher = 5; end; end; puts :fine"
    output, = Open3.capture2e(environment(BUNDLE_GEMFILE: nil), RbConfig.ruby, "-W0", "-e", script)
    assert_match(/fine/, output)
  end
end
