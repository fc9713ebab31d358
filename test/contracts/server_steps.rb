# frozen_string_literal: true

require "holdup/loader"
require "contracts/server_description"

# The steps of ServerContract, also for tests of what only one server has.
module ServerSteps
  include CommandLine
  include NoSlower
  include ServerDescription

  # Requests before a server is judged: enough for each worker to get some.
  ENOUGH = 30
  # How much longer than without Holdup a stop may take.
  SLOWER_S = 1
  TROUBLE = /warn|deprecat|holdup: (?!measuring |the collector ends; requests )|exception|\bI?o?Error\b/i

  private

  def complete(app)
    app.wait { app.live_workers == server_workers }
  end

  # @return [Integer] requests that were answered, each of them finished as a unit
  def ask(app)
    complete(app)
    traffic = ClientTraffic.to(app, measured_path)
    app.wait { traffic.answered >= ENOUGH && everybody_worked?(app) }
    traffic.stop
    app.wait { app.counts[measured_name] == traffic.answered } # answers are sent before their units end
    assert_equal({measured_name => traffic.answered}, app.counts)
    traffic.answered
  end

  def everybody_worked?(app)
    app.snapshots.all? { |snapshot| snapshot.slot(measured_name, kind: :request)&.count.to_i > 0 }
  end

  def restart(app, name, restart)
    before = app.counts[measured_name]
    traffic = ClientTraffic.to(app, measured_path)
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

  def pools_known?(entry)
    busy = entry.read(&:header).pools.map { |pool| pool[:busy] }
    busy.any? && busy.all?
  end

  def assert_identity(app)
    assert_nobody_else(app, "who measures")
    app.wait { app.live.all? { |entry| pools_known?(entry) } } # with the next tick
    app.snapshots.each do |snapshot|
      assert_equal server_facts, snapshot.setting.attributes.slice(*server_facts.keys)
      assert_equal server_pools.values, snapshot.header.pools.map { |pool| pool[:max] }
    end
    app.live.each { |entry| assert_profile(entry.read(&:profile)) }
    assert_seen_in_the_process_table(app)
  end

  def assert_seen_in_the_process_table(app)
    seen = app.running_servers
    assert_equal [server_facts["server"]], seen.map(&:name).uniq
    assert_equal server_workers.size, seen.size
    assert_empty seen.reject(&:measures).map(&:pid)
    assert_equal [app.dir], seen.map(&:dir).uniq
  end

  def assert_profile(profile)
    assert_equal server_pools.keys, profile.select { |key, _| key.start_with?("pool.") }.values
    levers = profile.keys.grep(/\Alever\.\w+\.value\z/).to_h { |key| [key.split(".")[1], profile[key]] }
    assert_equal server_levers, levers.slice(*server_levers.keys)
    levers.each_key do |name|
      refute_empty profile.values_at("lever.#{name}.write", "lever.#{name}.how").compact, name
    end
  end

  def assert_stop(app)
    status = app.stop(stop_signal)
    assert status.nil? || status.success? || status.signaled?, status.inspect
    refute_equal :KILL, Signal.signame(status.termsig || 0)&.to_sym if status
    assert_gone(app)
    if closes_segments?
      open_headers = app.snapshots.map(&:header).reject(&:closed?)
      assert_empty open_headers.map { |header| [header.process_name, header.pid] }, app.log
    end
    assert_no_trouble(app)
  end

  # No zombie, no child that was forgotten. `wait` fails with the log when they stay.
  def assert_gone(app)
    app.wait { app.processes.empty? }
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
    assert_empty zombies(app)
  end

  # Zombies: processes that ended and were not waited for.
  def zombies(app)
    app.processes.select { |process| process[:state].start_with?("Z") }
  end

  # The collector, one round each time, until what the block asks for is so.
  def collect(app)
    app.wait { collect_once(app) && yield }
  end

  # @return [true]
  def collect_once(app)
    said = holdup("collect", "--once", "--dir", app.dir, "--store", app.store, now_s: Time.now.to_i)
    assert_equal 0, said.status, said.err
    true
  end

  # @return [Integer] units in the store
  def carried(url)
    store = Holdup::Store.open(url)
    windows = store.windows(0, Time.now.to_i + 120, kinds: [:request]).to_a
    assert_equal [measured_name], windows.map { |window| window.series.name }.uniq
    assert_equal [server_facts["server"]], windows.map { |window| window.setting["server"] }.uniq
    windows.sum(&:count)
  ensure
    store&.close
  end

  def segments(app)
    Dir.glob(File.join(app.dir, "*.segment"))
  end

  def assert_no_trouble(app)
    assert_empty app.log.lines.grep(TROUBLE).grep_v(harmless)
  end

  # @return [Hash{Integer => Integer}] index of each worker => its pid
  def pids(app)
    app.live.to_h { |entry| [entry.read(&:header).worker_index, entry.pid] }
  end

  # @return [Hash{Integer => Integer}] index of each worker => how often it was reforked
  def generations(app)
    headers = app.live.map { |entry| entry.read(&:header) }
    headers.to_h { |header| [header.worker_index, header.generation] }
  end

  # Waits until other processes have taken over and those before them are gone.
  # @param workers [Array<Integer>] which are to be others
  def replaced(app, workers = server_workers)
    before = pids(app)
    yield
    app.wait do
      next false unless app.live_workers == server_workers
      now = pids(app)
      workers.none? { |index| [nil, *before.values].include?(now[index]) }
    end
    old = before.values_at(*workers)
    app.wait { app.processes.none? { |process| old.include?(process[:pid]) } }
  end
end
