# frozen_string_literal: true

require "test_helper"
require "contracts/server_contract"

class FalconTest < Minitest::Test
  include ServerContract
  include DoctorJit

  def server_command
    %w[bundle exec ruby -W:deprecated -S falcon host falcon.rb]
  end

  def server_gems = {"falcon" => version, "rack" => ">= 3"}

  def version
    Gem.loaded_specs.fetch("falcon").version.to_s
  end

  def server_facts
    {"server" => "falcon", "server_version" => version, "workers" => 2, "threads" => 1, "preload" => false,
     "fibers" => true}
  end

  # Any number of requests at a time.
  def server_pools = {"web" => nil}

  def server_levers = {"processes" => 2}

  def server_restarts = {"HUP" => method(:reload)}

  # Falcon's own words at the end of --hybrid, without Holdup as well; and where a child that was asked to end
  # got no CPU for the tenth of a second that Falcon waits (two lines). One that took longer by itself would
  # leave its segment open, which is looked at too. The last: stopped before all its workers were ready.
  def harmless
    /Container\ is\ already\ stopping!|Process\ is\ blocking,\ sending\ kill\ signal|
      Child\ exited\ with\ error!.*SIGKILL.*"stopping":true|Stopping\ failed\ container/x
  end

  # Until the old workers are gone: a TERM before that has Falcon kill them.
  def reload(app)
    replaced(app) { app.signal(:HUP) }
  end

  # Six requests at once in one thread: each has its own work, and waits while the others have the loop.
  def test_a_request_is_a_fiber
    serve(WORKERS: "1") do |app|
      app.wait { app.live_workers == [0] }
      6.times.map { Thread.new { app.get("/busy") } }.each(&:join)
      app.wait { app.counts["GET /busy"] == 6 }
      app.stop
      slot = app.unit("GET /busy")
      wall, running, stalled, idle = %i[wall running stalled idle].map { |part| slot.histogram(part).sum }
      assert_equal wall, running + stalled + idle
      assert_operator running, :<=, app.snapshots.sum { |snapshot| snapshot.counters[:running_ns] }
      assert_operator wall, :>, 3 * running
      # Its own: five sleeps, and what the time slice took.
      assert_operator slot.named_sums[:acquisitions], :<, 6 * 15
      assert_equal 0, app.snapshots.first.counters[:nested]
    end
  end

  def test_every_kind_of_answer_is_one_unit
    serve(WORKERS: "1", HOLDUP_JIT: "on") do |app|
      paths = %w[/ /stream /boom /broken /callable]
      [*paths, "/named"].each { |path| app.get(path) }
      assert_match(/hijacked/, app.raw("GET /hijack HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
      expected = [*paths, "/hijack"].to_h { |path| ["GET #{path}", 1] }.merge("A name of its own" => 1)
      app.wait { app.counts == expected }
      assert_equal ["GET /boom", "GET /broken"],
        app.units.select { |slot| slot.errors > 0 }.map { |slot| slot.series.name }
      assert_operator app.unit("GET /stream").histogram(:wall).sum, :>=, 60_000_000
      wait_for_jits(app)
      assert_on(examine(app), parent: "off")
    end
  end

  # `falcon serve` reads no configuration: config.ru starts Holdup, in each worker, which then has no number.
  def test_falcon_serve_forked_threaded_and_hybrid
    {[2, 1] => %w[--count 2], [0, 2] => %w[--threaded --count 2],
     [2, 3] => %w[--hybrid --forks 2 --threads 3]}.each do |facts, options|
      command = "falcon serve --bind http://127.0.0.1:$PORT --config started.ru #{options.join(" ")}"
      serve_started(command) do |app|
        app.wait { app.live.size == [facts[0], 1].max }
        10.times { app.get("/orders") }
        app.wait { app.counts == {"GET /orders" => 10} }
        assert_equal [["falcon", *facts, true]], shapes(app)
        app.stop(:INT)
        assert_gone(app)
        assert_no_trouble(app)
      end
    end
  end

  # The framework starts Holdup while Falcon makes the worker; much garbage is collected by then.
  def test_a_rails_application
    environment = {"WITH_HOLDUP" => "1", "RAILS_ENV" => "production", "EAGER_LOAD" => "1",
                   "RUBYLIB" => File.join(ServedApp::ROOT, "lib")}
    command = "exec bundle exec falcon serve --bind http://127.0.0.1:$PORT --count 2"
    ServedApp.serve("sh", "-c", command, app: "rails", env: environment) do |app|
      app.wait { app.live.size == 2 }
      4.times { app.get("/orders") && app.get("/orders/7") }
      app.wait { app.counts.values_at("OrdersController#index", "OrdersController#show") == [4, 4] }
      assert_equal [["falcon", 2, 1, true]], shapes(app)
      assert_equal [2, 2], app.live.map { |entry| entry.read(&:profile)["lever.processes.value"] }
    end
  end

  # There is no controller, and the application is loaded before the server is.
  def test_rackup
    command = ["sh", "-c", "exec bundle exec rackup --server falcon --host 127.0.0.1 --port $PORT config.ru"]
    ExecMode.command(command, server_gems.merge("rackup" => ">= 2")) do |exec|
      serve_by(exec) do |app|
        10.times { app.get("/orders") }
        app.wait { app.counts == {"GET /orders" => 10} }
        assert_equal [["falcon", 0, 1, true]], shapes(app)
        assert_equal [-1], app.live_workers
      end
    end
  end

  private

  def shapes(app)
    app.snapshots.map { |snapshot|
      snapshot.setting.attributes.values_at("server", "workers", "threads",
        "fibers")
    }.uniq
  end

  def serve_started(command, &)
    ServedApp.serve("sh", "-c", "exec bundle exec #{command}",
      app: "plain", env: {"RUBYLIB" => File.join(ServedApp::ROOT, "lib")}, &)
  end
end
