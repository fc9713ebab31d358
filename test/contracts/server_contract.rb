# frozen_string_literal: true

require "holdup/stores"

# What Holdup promises in every web server, asked of the real one. Include it and define what of the following differs;
# `server_command`, `server_gems` and `server_facts` always do. test/integration/apps/plain is made for it: its
# configurations leave Holdup out when WITHOUT_HOLDUP is set.
module ServerContract
  # Requests before a server is judged: enough for each worker to get some.
  ENOUGH = 30
  # How much longer than without Holdup a stop may take.
  SLOWER_S = 1
  TROUBLE = /warn|deprecat|holdup: |exception|\bI?o?Error\b/i

  # @return [Array<String>] reads PORT
  def server_command = raise(NotImplementedError, "which command starts the server?")

  # @return [Hash{String => String}] gems of an application that does not know Holdup, with their versions
  def server_gems = raise(NotImplementedError, "which gems does the server need?")

  # @return [Hash{String => Object}] what the setting must say of it
  def server_facts = raise(NotImplementedError, "what does the server say of itself?")

  # @return [String] folder in test/integration/apps, or a path
  def server_app = "plain"

  # @return [Hash{String => String}] for both modes of starting
  def server_env = {}

  # @return [Hash{String => String}] further, for the server that is restarted
  def restarted_env = {}

  # @return [Array<Integer>] indexes of its workers; [-1] for a server without
  def server_workers = [0, 1]

  # @return [String] a path that is answered with 200, and the name of its unit
  def measured_path = "/orders"

  def measured_name = "GET /orders"

  # @return [Hash{String => Integer}] names of pools and their threads
  def server_pools = {"web" => server_facts.fetch("threads", 1)}

  # @return [Hash{String => Object}] names of levers and their values
  def server_levers = {}

  # Its ways of being restarted, one after the other in one server under load. Each gets the ServedApp and returns when
  # the restart is over: with assertions of what is new then (pids, generations).
  # @return [Hash{String => #call}]
  def server_restarts = {}

  # @return [Symbol] the signal for a stop that finishes what it has begun
  def stop_signal = :TERM

  # @return [Boolean] whether its processes end as Ruby processes do (at_exit runs) after `stop_signal`
  def closes_segments? = true

  # @return [Regexp] lines of its log that are no trouble, because they are there without Holdup
  def harmless = /\A\z/

  def serve(**env, &)
    serve_by(server_command, **env, &)
  end

  def serve_by(command, **env, &)
    ServedApp.serve(*command, app: server_app, env: {"WORKERS" => server_workers.size.to_s}.merge(server_env, env.transform_keys(&:to_s)), &)
  end

  def test_a_run_from_its_start_to_its_end
    serve do |app|
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
    skip "it has no restart" if server_restarts.empty?
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
    with, without = [{}, {WITHOUT_HOLDUP: "1"}].map do |env|
      serve(**env) do |app|
        ENOUGH.times { app.get(measured_path) }
        seconds { app.stop(stop_signal) }
      end
    end
    assert_operator with, :<, without + SLOWER_S
  end

  private

  def complete(app) = app.wait { app.live_workers == server_workers }

  # @return [Integer] requests that were answered, each of them finished as a unit
  def ask(app)
    complete(app)
    traffic = Traffic.to(app, measured_path)
    app.wait { traffic.answered >= ENOUGH && everybody_worked?(app) }
    traffic.stop
    app.wait { app.counts[measured_name] == traffic.answered } # answers are sent before their units end
    assert_equal({measured_name => traffic.answered}, app.counts)
    traffic.answered
  end

  def everybody_worked?(app) = app.snapshots.all? { |snapshot| snapshot.slot(measured_name, kind: :request)&.count.to_i > 0 }

  def restart(app, name, restart)
    before = app.counts[measured_name]
    traffic = Traffic.to(app, measured_path)
    app.wait { traffic.answered >= ENOUGH }
    restart.call(app)
    complete(app)
    traffic.stop
    most = before + traffic.answered + traffic.troubled
    app.wait { app.counts[measured_name] >= before + traffic.answered }
    assert_operator app.counts[measured_name], :<=, most, name
    assert_nobody_else(app, name)
  end

  # Only workers measure: no master, no mold.
  def assert_nobody_else(app, what)
    assert_equal server_workers, app.snapshots.map { |snapshot| snapshot.header.worker_index }.uniq.sort, what
  end

  def assert_identity(app)
    assert_nobody_else(app, "who measures")
    app.wait { app.live.all? { |entry| entry.read(&:header).pools.map { |pool| pool[:busy] }.then { |busy| busy.any? && busy.all? } } } # with the next tick
    app.snapshots.each do |snapshot|
      assert_equal server_facts, snapshot.setting.attributes.slice(*server_facts.keys)
      assert_equal server_pools.values, snapshot.header.pools.map { |pool| pool[:max] }
    end
    app.live.each { |entry| assert_profile(entry.read(&:profile)) }
  end

  def assert_profile(profile)
    assert_equal server_pools.keys, profile.select { |key, _| key.start_with?("pool.") }.values
    levers = profile.keys.grep(/\Alever\.\w+\.value\z/).to_h { |key| [key.split(".")[1], profile[key]] }
    assert_equal server_levers, levers.slice(*server_levers.keys)
    levers.each_key { |name| refute_empty profile["lever.#{name}.how"].to_s }
  end

  def assert_stop(app)
    status = app.stop(stop_signal)
    assert status.nil? || status.success? || status.signaled?, status.inspect
    refute_equal :KILL, Signal.signame(status.termsig || 0)&.to_sym if status
    assert_gone(app)
    assert(app.snapshots.all? { |snapshot| snapshot.header.closed? }) if closes_segments?
    assert_no_trouble(app)
  end

  # No zombie, no child that was forgotten. `wait` fails with the log when they stay.
  def assert_gone(app)
    app.wait(10) { app.processes.empty? }
    assert_empty app.live
  end

  def assert_killed_server(app, units)
    assert_equal units, app.counts
    assert_carried(app)
  end

  def assert_carried(app)
    units = app.counts
    collect(app) { segments(app).empty? }
    assert_equal units, {measured_name => carried(app.store)}
  end

  def assert_carried_while_running(app, victim)
    units = app.counts[measured_name]
    collect(app) { segments(app).none? { |path| File.basename(path).start_with?("#{victim.pid}-") } }
    assert_equal units, carried(app.store)
    assert_empty app.processes.select { |process| process[:state].start_with?("Z") }, "nobody waited for it"
  end

  # A real collector, one round each time, until what the block asks for is so.
  def collect(app)
    environment = {"HOLDUP_DIR" => app.dir, "HOLDUP_STORE" => app.store, "RUBYOPT" => nil}
    app.wait { system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true) && yield }
  end

  # @return [Integer] units in the store
  def carried(url)
    store = Holdup::Stores.open(url)
    windows = store.windows(0, Time.now.to_i + 120, kinds: [:request]).to_a
    assert_equal [measured_name], windows.map { |window| window.series.name }.uniq
    assert_equal [server_facts["server"]], windows.map { |window| window.setting["server"] }.uniq
    windows.sum(&:count)
  ensure
    store&.close
  end

  def segments(app) = Dir.glob(File.join(app.dir, "*.segment"))

  def assert_no_trouble(app)
    assert_empty app.log.lines.grep(TROUBLE).grep_v(harmless)
  end

  def seconds
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  end
end
