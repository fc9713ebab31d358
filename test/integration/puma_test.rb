# frozen_string_literal: true

require "test_helper"
require "puma/const"

class PumaIntegrationTest < Minitest::Test
  def serve(**env, &)
    ServedApp.serve("bundle", "exec", "ruby", "-W:deprecated", "-S", "puma", "-C", "puma.rb", app: "plain", env: env.transform_keys(&:to_s), &)
  end

  def requests(app, number) = number.times { app.get("/orders") }

  def both_workers(app) = app.wait { live(app) == [0, 1] }

  def live(app)
    entries = Holdup::Segment::Directory.new(app.dir).entries.select(&:alive)
    entries.map { |entry| entry.read(&:header) }.reject(&:closed?).map(&:worker_index).sort
  end

  def test_single
    serve do |app|
      requests(app, 5)
      gauges = app.wait { app.snapshots.first.gauges.then { |known| known if known[:requests_count].to_i >= 5 } }
      assert_equal [3, 0], gauges.values_at(:max_threads, :backlog)
      assert_equal 0, app.stop.exitstatus.to_i
      snapshot = app.snapshots.first
      assert_equal [-1, true, 5], [snapshot.header.worker_index, snapshot.header.closed?, app.counts["GET /orders"]]
      assert_equal ["puma", Puma::Const::VERSION, 3, 0], snapshot.setting.attributes.values_at("server", "server_version", "threads", "workers")
    end
  end

  def test_cluster_workers_know_their_index_and_the_master_has_no_segment
    {"1" => true, "0" => false}.each do |preload, loaded|
      serve(WORKERS: "2", PRELOAD: preload) do |app|
        both_workers(app)
        requests(app, 20)
        app.stop
        assert_equal 20, app.counts["GET /orders"]
        assert_equal [0, 1], app.snapshots.map { |snapshot| snapshot.header.worker_index }.sort
        assert(app.snapshots.all? { |snapshot| snapshot.header.closed? })
        assert_equal [[2, loaded]], app.snapshots.map { |snapshot| snapshot.setting.attributes.values_at("workers", "preload") }.uniq
        refute_match(/WARN|warn|deprecat/, app.log)
      end
    end
  end

  def test_phased_restart
    serve(WORKERS: "2", PRELOAD: "0", SHUTDOWN_TIMEOUT: "5") do |app|
      both_workers(app)
      requests(app, 10)
      app.signal(:USR1)
      app.wait { app.snapshots.size == 4 && live(app) == [0, 1] }
      requests(app, 10)
      app.stop
      assert_equal 20, app.counts["GET /orders"]
      assert_equal [0, 0, 1, 1], app.snapshots.map { |snapshot| snapshot.header.worker_index }.sort
    end
  end

  def test_workers_that_are_forked_by_a_worker
    serve(WORKERS: "2", FORK_WORKER: "1", PRELOAD: "0") do |app|
      both_workers(app)
      requests(app, 10)
      app.signal(:URG)
      app.wait { app.log.scan("booted").size >= 3 && live(app) == [0, 1] }
      requests(app, 10)
      app.stop
      assert_equal 20, app.counts["GET /orders"]
    end
  end

  def test_stops_as_fast_as_without_us
    times = [{}, {WITHOUT_HOLDUP: "1"}].map do |env|
      serve(**env) do |app|
        requests(app, 3)
        started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        app.stop
        Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
      end
    end
    assert_operator times[0], :<, times[1] + 1
  end

  def test_a_killed_worker_is_replaced_and_its_units_are_there
    serve(WORKERS: "2") do |app|
      both_workers(app)
      requests(app, 10)
      pid = app.get("/pid").body.to_i
      app.wait { app.counts["GET /pid"] == 1 } # the answer is sent before its unit ends
      Process.kill(:KILL, pid)
      app.wait { app.snapshots.size == 3 }
      app.stop
      assert_equal({"GET /orders" => 10, "GET /pid" => 1}, app.counts)
    end
  end
end
