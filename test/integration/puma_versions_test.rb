# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"

# Earlier Pumas, each from a Gemfile of its own: in a cluster whose workers are forked by a worker.
class PumaVersionsTest < Minitest::Test
  include ServerSteps
  include PumaRestarts
  include DoctorJit

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_env
    {"BUNDLE_GEMFILE" => File.join(ServedApp::ROOT, "gemfiles", "#{@puma}.gemfile"),
     "PRELOAD" => "0",
     "FORK_WORKER" => "1",
     "HOLDUP_JIT" => "on"}
  end

  def server_facts
    {"server" => "puma", "server_version" => @version, "workers" => 2, "threads" => 3, "min_threads" => 3,
     "preload" => false, "refork" => true}
  end

  # Ruby 3.4's IO#close can hang in a worker that shuts down (ServedApp::Stuck); Puma then kills it.
  def closes_segments? = false

  def server_levers
    {"threads" => 3, "processes" => 2, "preload" => false, "fork_worker" => true}
  end

  def assert_all(puma, version)
    @puma = puma
    lock = File.read(File.join(ServedApp::ROOT, "gemfiles", "#{puma}.gemfile.lock"))
    @version = lock[/^    puma \((\S+)\)/, 1]
    assert_match version, @version
    serve do |app|
      ask(app)
      assert_identity(app)
      assert_on(examine(app), parent: "off")
      restart(app, "a refork", method(:refork))
      wait_for_jits(app)
      assert_on_in_the_first(examine(app))
      restart(app, "a restart in phases", method(:phased))
      assert_stop(app)
      assert_carried(app)
    end
  end

  def test_puma_6 = assert_all("puma6", /\A6\.6/)

  def test_puma_7 = assert_all("puma7", /\A7\./)

  # Puma 6 makes a worker's server before the worker when it has loaded the application.
  def test_puma_6_that_loads_the_application_first
    @puma = "puma6"
    serve(PRELOAD: "1", FORK_WORKER: nil) do |app|
      ask(app)
      wait_for_jits(app)
      assert_on(examine(app), parent: "off")
      restart(app, "a hot restart", method(:hot))
      app.stop
      assert_gone(app)
      assert_no_trouble(app)
    end
  end
end
