# frozen_string_literal: true

require "contracts/server_steps"

# What Holdup promises in every web server, asked of the real one. Include it and define what differs of the
# descriptions in ServerSteps; `server_command`, `server_gems` and `server_facts` always do.
# test/integration/apps/plain is made for it: its configurations leave Holdup out when WITHOUT_HOLDUP is set.
module ServerContract
  include ServerSteps

  def test_a_run_from_its_start_to_its_end
    serve do |app|
      ask(app)
      assert_identity(app)
      assert_stop(app)
      assert_carried(app)
    end
  end

  # Each hooked method of the server, of libraries and of Ruby, forks included.
  def test_other_libraries_wrap_the_hooked_methods_late
    serve(METHOD_NEIGHBOURS: File.expand_path("../support/method_neighbours.rb", __dir__)) do |app|
      ask(app)
      assert_identity(app)
      assert_stop(app)
      assert_carried(app)
    end
  end

  def test_holdup_exec
    ExecMode.command(server_command, server_gems) do |command|
      serve_by(command) do |app|
        answered = ask(app)
        assert_identity(app)
        app.stop(stop_signal)
        app.wait { app.processes.empty? } # the collector carries the last units, then ends
        assert_equal answered, carried(app.store)
        assert_empty segments(app)
        assert_no_trouble(app)
      end
    end
  end

  def test_restarts_under_load
    serve(**restarted_env.transform_keys(&:to_sym)) do |app|
      complete(app)
      server_restarts.each { |name, restart| restart(app, name, restart) }
      app.stop(stop_signal)
      assert_gone(app)
      assert_no_trouble(app)
    end
  end

  def test_a_killed_worker
    serve do |app|
      ask(app)
      victim = app.live.first
      worker = victim.read(&:header).worker_index
      units = app.counts
      Process.kill(:KILL, victim.pid)
      next assert_killed_server(app, units) if worker.negative?
      app.wait { app.live.none? { |entry| entry.pid == victim.pid } && app.live_workers == server_workers }
      assert_equal units, app.counts
      assert_carried_while_running(app, victim)
      app.stop(stop_signal)
      assert_gone(app)
    end
  end

  def test_a_stop_takes_no_longer_than_without
    assert_no_slower(ServerSteps::SLOWER_S, with: -> { seconds_to_stop },
      without: -> { seconds_to_stop(WITHOUT_HOLDUP: "1") })
  end

  private

  def seconds_to_stop(**env)
    serve(**env) do |app|
      ServerSteps::ENOUGH.times { app.get(measured_path) }
      seconds { app.stop(stop_signal) }
    end
  end
end
