# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"
require "puma/const"
require "holdup/model/experiment_plan"

# What only Puma has; PumaContractTest asks what every server must do.
class PumaIntegrationTest < Minitest::Test
  include ServerSteps
  include PumaRestarts

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_facts
    workers = server_workers.first.negative? ? 0 : 2
    {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => workers, "threads" => 3}
  end

  def server_workers
    @workers || [0, 1]
  end

  def single = @workers = [-1]

  def profile(app) = app.wait { app.live.first&.read(&:profile) }

  def lever(app, name)
    profile(app).select { |key, _| key.start_with?("lever.#{name}.") }.transform_keys { |key|
      key.split(".").last
    }
  end

  def test_single_through_a_hot_restart
    single
    serve(WORKERS: "0", HOLDUP_COLLECTOR: "process") do |app|
      answered = ask(app)
      assert_identity(app)
      app.wait { app.processes.size == 3 } # with the collector and its watcher
      app.signal(:USR2)
      app.wait_for_restart { app.log.scan("Use Ctrl-C").size == 2 && app.live_workers == [-1] }
      answered += ask_again(app)
      # The collector of before had this same parent, which does not know it.
      app.wait { app.processes.size == 3 }
      app.stop
      app.wait { app.processes.empty? }
      assert_equal answered, carried(app.store)
      assert_empty segments(app)
      assert_no_trouble(app)
    end
  end

  # @return [Integer]
  def ask_again(app)
    traffic = ClientTraffic.to(app, measured_path)
    app.wait { traffic.answered >= ServerSteps::ENOUGH }
    traffic.stop.answered
  end

  def test_a_cluster_whose_workers_are_forked_by_a_worker
    serve(PRELOAD: "0", FORK_WORKER: "1") do |app|
      complete(app)
      assert_equal({0 => 0, 1 => 0}, generations(app))
      {"a refork" => :refork, "another" => :refork, "a restart in phases" => :phased, "a hot restart" => :hot}
        .each { |name, way| restart(app, name, method(way)) }
      assert_equal [true], app.snapshots.map { |snapshot| snapshot.setting["refork"] }.uniq
      app.stop
      assert_gone(app)
    end
  end

  # Without the plugin: the application starts Holdup, in each worker or in the master.
  def test_an_application_that_starts_holdup_itself
    {"0" => false, "1" => true}.each do |preload, loaded|
      env = {**ServedApp::LONG_SHUTDOWN, "PRELOAD" => preload, "WITHOUT_HOLDUP" => "1"}
      serve_by([*server_command, "started.ru"], **env.transform_keys(&:to_sym)) do |app|
        ask(app)
        assert_identity(app)
        assert_equal [loaded], app.snapshots.map { |snapshot| snapshot.setting["preload"] }.uniq
        assert_stop(app)
      end
    end
  end

  def test_restarts_under_holdup_exec
    ExecMode.command(server_command, {"puma" => Puma::Const::VERSION, "rackup" => ">= 2"}) do |command|
      serve_by(command, PRELOAD: "0") do |app|
        answered = ask(app)
        %i[hot phased].each do |way|
          send(way, app)
          answered += ask_again(app)
        end
        app.stop
        app.wait { app.processes.empty? }
        assert_equal answered, carried(app.store)
        assert_no_trouble(app)
      end
    end
  end

  def test_where_levers_are_written
    serve(IO_THREADS: "1") do |app|
      complete(app)
      assert_equal [3, true, "puma.rb:5"], lever(app, "threads").values_at("value", "live", "where")
      assert_equal [2, true, "ENV[WORKERS]"],
        lever(app, "processes").values_at("value", "live", "where")
      assert_equal [2, nil, "puma.rb:9"],
        lever(app, "max_io_threads").values_at("value", "live", "where").map { |fact| fact || nil }
      assert_equal 2, app.snapshots.first.setting["max_io_threads"]
      app.signal(:TTIN)
      app.wait { app.live_workers == [0, 1, 2] }
      # Puma tells its number to those that it forks from then on.
      assert_equal [2, 2, 3], app.snapshots.map { |snapshot| snapshot.setting["workers"] }.sort
      app.signal(:TTOU)
      app.wait { app.live_workers.size == 2 }
      app.stop
    end
  end

  def test_as_many_workers_as_processors
    serve(WORKERS: "auto", OMIT: "1") do |app|
      workers = app.wait {
        app.live_workers.then { |live|
          live if live.size == app.snapshots.first&.setting&.[]("workers")
        }
      }
      assert_equal (0...workers.size).to_a, workers
      app.stop
    end
  end

  def test_an_experiment_changes_threads_of_all_workers_and_leaves_nothing
    serve(HOLDUP_LIVE_THREADS: "3") do |app|
      complete(app)
      facts = -> { app.snapshots.map { |snapshot| snapshot.setting.attributes.values_at("arm", "threads") } }
      assert_equal [[nil, 3]] * 2, facts.call
      now_s = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
      # Of these, whose turn ends the latest: the test is over by then on any machine.
      turn_s = 3600.step(by: 60, to: 5400).max_by { |seconds| seconds - now_s % seconds }
      from_s = now_s / (2 * turn_s) * 2 * turn_s
      turns = Holdup::Switchback.new(from_s:, turn_s:, settle_s: 15, cycles: 1, equal_cycles: 1)
      plan = Holdup::ExperimentPlan.new(id: "x1", lever: "threads", values: [1, 2], turns:, by: "", why: "")
      file = Holdup::ExperimentPlan::PlanFile.new(app.dir)
      file.write(plan)
      app.wait { facts.call == [["changing", 1]] * 2 }
      app.wait { facts.call.uniq.size == 1 && plan.arms(:equal).include?(facts.call.dig(0, 0)) }
      assert_equal 1, facts.call.dig(0, 1)
      app.get("/")
      # Each worker says it at a tick of its own.
      turn = /experiment x1, turn \d of 4, \w+ of the A\/A phase: 1 threads reached after/
      app.wait { app.log.scan(turn).size == 2 }
      file.remove
      app.wait { facts.call == [["changing", 3]] * 2 }
      app.stop
      assert_equal 2, app.log.scan("experiment x1 begins: threads 1 and 2 take turns").size
      ends = "experiment x1 ends: threads 1 -> 3, as configured (operator: stopped before its end)"
      assert_equal 2, app.log.scan(ends).size
      assert_equal 2, app.log.scan(turn).size
    end
  end

  def test_threads_that_change_while_it_runs
    single
    serve(WORKERS: "0") do |app|
      complete(app)
      app.get("/threads")
      app.wait { app.snapshots.first.setting.attributes.values_at("min_threads", "threads") == [1, 4] }
      app.wait { app.live.first.read(&:header).pools.first[:max] == 4 }
      assert_equal 4, lever(app, "threads")["value"]
      app.stop
      assert_no_trouble(app)
    end
  end
end
