# frozen_string_literal: true

require "test_helper"
require "contracts/server_contract"
require "support/collectors_beside"

class PitchforkTest < Minitest::Test
  include ServerContract
  include CollectorsBeside

  REFORKS = Thorough.turns(6, thorough: 10, nightly: 20)

  def server_command
    %w[bundle exec ruby -W:deprecated -S pitchfork -c pitchfork.conf.rb]
  end

  def server_gems
    {"pitchfork" => version, "rack" => ">= 2"}
  end

  def version
    Gem.loaded_specs.fetch("pitchfork").version.to_s
  end

  def server_facts
    {"server" => "pitchfork", "server_version" => version, "workers" => 2, "threads" => 1,
     "min_threads" => 1, "preload" => true}
  end

  def server_levers
    {"processes" => 2, "refork_after" => "off"}
  end

  def server_restarts
    {"refork" => ->(app) { refork(app, 1) }, "refork again" => ->(app) { refork(app, 2) }}
  end

  # Its own, without Holdup as well: an application's Gemfile has no logger.
  def harmless
    /warning: logger was loaded|You can add logger to your Gemfile/
  end

  def refork(app, generation)
    app.signal(:USR2)
    app.wait { identities(app.live) == [[0, generation], [1, generation]] }
  end

  repeated_everywhere def test_many_reforks_under_load
    serve do |app|
      complete(app)
      traffic = ClientTraffic.to(app, measured_path)
      (1..REFORKS).each { |generation| refork(app, generation) }
      traffic.stop
      app.wait { app.counts[measured_name] >= traffic.answered }
      assert_equal [traffic.answered, 0], [app.counts[measured_name], traffic.troubled]
      assert_equal (0..REFORKS).flat_map { |generation| [[0, generation], [1, generation]] }.sort,
        identities(entries(app))
      assert_one_middleware(app)
      assert_stop(app)
      collect(app) { segments(app).empty? }
    end
  end

  def test_reforks_by_itself_with_a_service_worker
    serve(REFORK_AFTER: "10", SERVICE: "1") do |app|
      app.wait { app.live_workers == [-1, 0, 1] }
      app.get(measured_path) while app.live.none? { |entry| entry.read(&:header).generation == 1 }
      app.wait { identities(app.live) == [[-1, 1], [0, 1], [1, 1]] }
      service = app.live.find { |entry| entry.read(&:header).worker_index == -1 }
      assert_equal ["service", "pitchfork.conf.rb:11"],
        service.read(&:profile).values_at("pool.0", "lever.refork_after.where")
      assert_equal [0, 0], service.read(&:header).pools.first.values_at(:max, :busy)
      facts = app.snapshots.map { |snapshot|
        [snapshot.header.worker_index, snapshot.header.generation, snapshot.setting["refork"]]
      }
      assert_equal [true], facts.map(&:last).uniq, "#{facts}\n#{app.log}"
      app.stop
      assert_gone(app)
      assert_no_trouble(app)
    end
  end

  def test_reforking_by_hand_is_another_setting
    serve do |app|
      complete(app)
      refork(app, 1)
      snapshots = app.snapshots.sort_by { |snapshot| snapshot.header.generation }
      assert_equal [nil, nil, true, true], snapshots.map { |snapshot| snapshot.setting["refork"] }
      app.stop
      assert_no_trouble(app)
    end
  end

  def test_one_worker_more
    serve do |app|
      complete(app)
      app.signal(:TTIN)
      app.wait { app.live_workers == [0, 1, 2] }
      app.stop
      assert_no_trouble(app)
    end
  end

  # The monitor never loads the application: the mold looks after the collector, and hands it on with the next
  # mold.
  def test_an_application_that_starts_holdup_itself
    serve_started(HOLDUP_COLLECTOR: "process") do |app|
      answered = asked(app)
      first = app.wait { collectors(app).first }
      refork(app, 1)
      # The first ends with its mold.
      app.wait { collectors(app).then { |pids| pids.size == 1 && pids != [first] } }
      answered += asked(app)
      app.stop
      app.wait { app.processes.empty? }
      assert_equal answered, carried(app.store)
      assert_empty segments(app)
      assert_no_trouble(app)
    end
  end

  def test_a_start_in_the_users_hooks
    # Too late for the index in the last.
    {
      "after_mold_fork" => [0, 1],
      "after_worker_fork" => [0, 1],
      "after_worker_ready" => [-1, -1]
    }.each do |hook, workers|
      serve(WITHOUT_HOLDUP: "1", HOOK: hook) do |app|
        app.wait { app.live_workers == workers }
        refork(app, 1)
        app.stop
        assert_equal [*workers, 0, 1].sort, app.snapshots.map { |snapshot| snapshot.header.worker_index }.sort
        assert_no_trouble(app)
      end
    end
  end

  def test_a_collector_that_dies_is_started_again
    serve(HOLDUP_COLLECTOR: "process") do |app|
      first = app.wait { collectors(app).first }
      Process.kill(:KILL, first)
      app.wait { collectors(app).then { |pids| pids.any? && !pids.include?(first) } }
      said = app.log.lines.grep(/holdup: (?!measuring |the collector ends; requests )/)
      assert_equal 1, said.size
      # Whoever was first.
      assert_match(/the collector ended \((reaped elsewhere|SIGKILL.*)\); started again in 1 s/, said.first)
      app.stop
      assert_gone(app)
    end
  end

  private

  def asked(app)
    traffic = ClientTraffic.to(app, measured_path)
    app.wait { traffic.answered >= ServerSteps::ENOUGH }
    traffic.stop
    traffic.answered
  end

  def entries(app)
    Holdup::Segment::Directory.new(app.dir).entries
  end

  def identities(entries)
    entries.map { |entry| entry.read(&:header) }.map { |header|
      [header.worker_index,
        header.generation]
    }.sort
  end

  # Not one more with each generation.
  def assert_one_middleware(app)
    assert_equal 1, app.get("/callers").body.lines.grep(/instrumentation\/rack\.rb/).size
  end

  def serve_started(**env, &)
    started = {"WITHOUT_HOLDUP" => "1", "WORKERS" => "2", "RUBYLIB" => lib}
    env = {**started, **env.transform_keys(&:to_s)}
    ServedApp.serve(*server_command, "started.ru", app: "plain", env:, &)
  end

  def lib = File.join(ServedApp::ROOT, "lib")
end
