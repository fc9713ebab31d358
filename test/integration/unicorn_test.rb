# frozen_string_literal: true

require "test_helper"
require "contracts/server_contract"
require "rails"
require "support/collectors_beside"

class UnicornTest < Minitest::Test
  include ServerContract
  include CollectorsBeside

  def server_command
    %w[bundle exec ruby -W:deprecated -S unicorn -c unicorn.rb]
  end

  def server_gems = {"unicorn" => version, "rack" => ">= 2"}

  def version
    Gem.loaded_specs.fetch("unicorn").version.to_s
  end

  def server_facts
    {"server" => "unicorn", "server_version" => version, "workers" => 2, "threads" => 1, "min_threads" => 1,
     "preload" => false}
  end

  def server_levers = {"processes" => 2, "preload" => false}

  def server_restarts
    {"HUP" => method(:reload), "USR2 and QUIT" => method(:upgrade)}
  end

  def stop_signal = :QUIT

  # Its own, without Holdup as well: an application's Gemfile has no logger.
  def harmless
    /configurator\.rb:2: warning: logger was loaded|You can add logger to your Gemfile/
  end

  def reload(app)
    before = app.live.map(&:pid)
    app.signal(:HUP)
    app.wait { app.live_workers == [0, 1] && (app.live.map(&:pid) & before).empty? }
  end

  def upgrade(app)
    app.signal(:USR2)
    app.wait { app.live_workers == [0, 0, 1, 1] }
    old = app.pid
    new = File.read(File.join(app.root, "unicorn.pid")).to_i
    app.hand_over(new)
    Process.kill(:QUIT, old)
    app.wait { app.live_workers == [0, 1] && app.processes.none? { |process| process[:pid] == old } }
  end

  def test_a_preloaded_application
    serve(PRELOAD: "1") do |app|
      ask(app)
      app.wait { preloads(app) == [true] } # a worker is measured before it knows its setting
      reload(app)
      units = app.counts
      app.wait { preloads(app) == [true] }
      assert_equal [0, 0, 1, 1], app.snapshots.map { |snapshot| snapshot.header.worker_index }.sort
      app.stop(:TERM) # workers leave with exit!: nothing of ours runs any more, and nothing is missing
      assert_gone(app)
      assert_equal units, app.counts
      assert_no_trouble(app)
    end
  end

  def preloads(app)
    app.snapshots.map { |snapshot| snapshot.setting["preload"] }.uniq
  end

  def test_one_worker_more_and_one_less
    serve do |app|
      complete(app)
      app.signal(:TTIN)
      app.wait { app.live_workers == [0, 1, 2] }
      third = app.live.find { |entry| entry.read(&:header).worker_index == 2 }
      app.wait { third.read(&:profile).key?("lever.processes.value") } # with its first tick
      assert_equal [3, true, "unicorn.rb:9"],
        third.read(&:profile).values_at(*%w[value live where].map { |fact| "lever.processes.#{fact}" })
      app.signal(:TTOU)
      app.wait { app.live_workers == [0, 1] }
      app.stop(stop_signal)
      assert_no_trouble(app)
    end
  end

  def test_requests_that_wait_for_a_worker_are_in_the_first_ones_backlog
    serve do |app|
      complete(app)
      clients = Array.new(20) { Thread.new { app.get("/busy") } }
      pools = app.wait {
        app.live.map { |entry| entry.read(&:header).pools.first }.then { |read|
          read if read.first[:backlog].to_i > 5
        }
      }
      clients.each(&:join)
      assert_equal [[1, 1], [nil]],
        [pools.map { |pool| pool[:max] }, pools.drop(1).map { |pool| pool[:backlog] }]
      app.wait {
        app.live.map { |entry|
          entry.read(&:header).pools.first.values_at(:busy,
            :backlog)
        } == [[0, 0], [0, nil]]
      }
      # And ServedApp's look whether it answers.
      assert_equal 21, app.snapshots.sum { |snapshot| snapshot.gauges[:requests_count] }
    end
  end

  # A Rails application without a word in unicorn.rb: we come in while the worker is being made.
  def test_an_application_that_starts_holdup_itself
    {"0" => false, "1" => true}.each do |preload, loaded|
      serve_started(PRELOAD: preload) do |app|
        ask(app)
        assert_equal [loaded], app.snapshots.map { |snapshot| snapshot.setting["preload"] }.uniq
        app.stop(stop_signal)
        assert_gone(app)
        assert_no_trouble(app)
      end
    end
  end

  def test_rails_with_nothing_in_unicorn_rb
    %w[0 1].each do |preload|
      serve_rails(WITH_HOLDUP: "1", WITHOUT_HOLDUP: "1", PRELOAD: preload) { |app| assert_rails(app) }
    end
  end

  def test_rails_under_holdup_exec
    ExecMode.command(rails_command, server_gems.merge("rails" => Rails::VERSION::STRING)) do |command|
      serve_rails(command) { |app| assert_rails(app) }
    end
  end

  def test_a_start_in_the_users_hooks
    # Too late for the index in the second.
    {"after_fork" => [0, 1], "after_worker_ready" => [-1, -1]}.each do |hook, workers|
      serve(WITHOUT_HOLDUP: "1", HOOK: hook) do |app|
        app.wait { app.live_workers == workers }
        app.stop(stop_signal)
        assert_no_trouble(app)
      end
    end
  end

  def test_workers_that_are_executed_again
    serve(WORKER_EXEC: "1") do |app|
      ask(app)
      app.stop(stop_signal)
      assert_gone(app)
      assert_no_trouble(app)
    end
  end

  # Unicorn waits for any child and takes our collector's end away from the thread that looks after it.
  def test_a_collector_that_dies_is_started_again
    serve(HOLDUP_COLLECTOR: "process") do |app|
      first = app.wait { collectors(app).first }
      Process.kill(:KILL, first)
      second = app.wait { (collectors(app) - [first]).first }
      complete(app)
      reload(app) # reads `Holdup.start` again
      assert_equal [second], collectors(app)
      said = app.log.lines.grep(/holdup: (?!measuring |the collector ends; requests )/)
      assert_equal 1, said.size
      # Whoever was first.
      assert_match(/the collector ended \((reaped elsewhere|SIGKILL.*)\); started again in 1 s/, said.first)
      app.stop(stop_signal)
      assert_gone(app)
    end
  end

  def test_the_users_own_hooks_are_theirs
    serve do |app|
      assert app.wait { app.log.scan(/the user's own hook, worker (\d)/).flatten.sort == %w[0 1] }
      complete(app)
    end
  end

  private

  def rails_command
    [*server_command[0..-2], "../plain/unicorn.rb"]
  end

  def serve_rails(command = rails_command, **env, &)
    ServedApp.serve(*command, app: "rails", env: {"RAILS_ENV" => "production", **env.transform_keys(&:to_s)},
      &)
  end

  def assert_rails(app)
    complete(app)
    3.times { app.get("/orders") }
    app.wait { app.counts == {"OrdersController#index" => 3} } # a collector takes what has ended
    app.stop(stop_signal)
    assert_gone(app)
    assert_no_trouble(app)
  end

  def serve_started(**env, &)
    ServedApp.serve(*server_command, "started.ru",
      app: "plain", env: {"WITHOUT_HOLDUP" => "1", "RUBYLIB" => lib, **env.transform_keys(&:to_s)}, &)
  end

  def lib = File.join(ServedApp::ROOT, "lib")
end
