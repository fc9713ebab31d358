# frozen_string_literal: true

require "support/fresh_ruby"

# What a forking server's adapter owes a process in which that server is only loaded. The test says:
#
# - server_gem [String] to require
# - server_module [String] its constant
module LoadedPreforkContract
  include FreshRuby

  LIB = File.expand_path("../../lib", __dir__)

  def test_a_server_that_is_loaded_but_does_not_run_delays_no_exit
    assert_equal "true\ntrue\n", loaded("puts Holdup.start, Holdup.running?")
  end

  def test_it_is_joined_once
    assert_equal "1\n", loaded(<<~RUBY)
      2.times { Holdup.servers.install("#{server_module}::HttpServer") }
      puts Holdup::Hooks::MethodHook.all.count { |each| each.name == :process_client }
    RUBY
  end

  def test_a_server_that_is_being_configured_is_here
    assert_equal "true\nfalse\ntrue\n", loaded(<<~RUBY)
      path = File.join(ENV.fetch("HOLDUP_DIR"), "server.rb")
      File.write(path, "worker_processes 3\nputs Holdup.start, Holdup.running?")
      #{server_module}::HttpServer.new(->(_env) {}, listeners: [], config_file: path)
      puts Holdup::Servers::#{server_module}.here?
    RUBY
  end

  private

  def loaded(script)
    Dir.mktmpdir do |dir|
      env = {"HOLDUP_COLLECTOR" => "off", "HOLDUP_DIR" => dir}
      fresh_ruby(<<~RUBY, prelude: "", gems: true, env:, options: ["-W0", "-I#{LIB}"])
        require "bundler/setup"
        require "#{server_gem}"
        require "holdup"
        Holdup.configure { |config| config.log = StringIO.new }
        #{script}
      RUBY
    end
  end
end
