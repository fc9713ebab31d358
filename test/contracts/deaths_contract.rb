# frozen_string_literal: true

require "holdup/loader"

# Workers of a real server are killed at random moments under load. Each request that had begun and not ended
# is in the autopsy of its worker, once, and counts nowhere; what ends by itself makes no autopsy.
#
# The application writes a ledger. A kill between its lines and Holdup's own begin and end of a request leaves
# open what is right, so these requests may be in flight or not: they were asked and have no line, or have
# ended as the last of their worker.
#
# Include it and define `server_command` with ledger.ru, `workers`, `threads` (of a worker), `kills`,
# `restart_signal` (takes new workers, one after another or all at once), and `noted?` (whether the master
# says how a worker ended).
module DeathsContract
  # HOLDUP_TEST_KILLS is for a long run by hand.
  def self.kills(...) = Integer(ENV.fetch("HOLDUP_TEST_KILLS", Thorough.turns(...)))

  ENVIRONMENT = {"PRELOAD" => "0", "HOLDUP_COLLECTOR" => "process", **ServedApp::LONG_SHUTDOWN}.freeze
  # Health checks are not measured; the test asks for it until the server is there.
  UNMEASURED = "/up"
  CLIENTS = 8

  # Clients that ask for another path each time, whatever comes back, until they rest: each path is a name of
  # its own, and a collector that gets too many falls behind.
  class RestlessClients
    # @return [Set<String>] paths that were asked for
    attr_reader :asked

    def initialize(port)
      @asked = Set.new
      @lock = Mutex.new
      @threads = Array.new(CLIENTS) { |client| Thread.new { ask_on(port, client) } }
    end

    def ask = @resting = false

    def rest = @resting = true

    def stop
      @stopped = true
      @threads.each(&:join)
    end

    private

    def ask_on(port, client)
      number = 0
      until @stopped
        IO.select(nil, nil, nil, 0.01) while @resting && !@stopped
        path = "/#{"abcdefgh"[client]}#{(number += 1).to_s.tr("0123456789", "klmnopqrst")}"
        get(port, path)
      end
    end

    def get(port, path)
      socket = TCPSocket.new("127.0.0.1", port)
      @lock.synchronize { @asked << path }
      socket.write("GET #{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      socket.read
    rescue SystemCallError
      IO.select(nil, nil, nil, 0.01) # the worker that had it is gone
    ensure
      socket&.close
    end
  end

  def test_what_was_in_flight_is_in_the_autopsy_of_a_killed_worker_once
    env = {**ENVIRONMENT, "WORKERS" => workers.to_s, "THREADS" => threads.to_s}
    ServedApp.serve(*server_command, app: "plain", env:) do |app|
      app.wait { all_live?(app) }
      clients = RestlessClients.new(app.port)
      random = Random.new(7)
      pids = Array.new(kills) { kill_one(app, clients, random) }
      clients.stop
      app.wait(every: 0.5) { deaths(app).size >= kills }
      restart(app)
      app.stop
      app.wait { app.processes.empty? }
      collect(app)
      assert_exact(app, pids, clients.asked)
    ensure
      clients&.stop
    end
  end

  private

  # @return [Integer] its pid
  def kill_one(app, clients, random)
    before = ledger(app).size
    clients.ask
    app.wait { ledger(app).size > before + 4 * CLIENTS }
    pid = app.live.sample(random:).pid
    IO.select(nil, nil, nil, random.rand * 0.05)
    Process.kill(:KILL, pid)
    clients.rest
    app.wait { all_live?(app) && app.live.none? { |entry| entry.pid == pid } }
    pid
  end

  def all_live?(app) = app.live_workers == [*0...workers]

  # A worker that hangs in its shutdown is killed by its server, which is a death.
  def restart(app)
    before = app.live.map(&:pid)
    app.signal(restart_signal)
    app.wait_for_restart { all_live?(app) && (app.live.map(&:pid) & before).empty? }
  end

  # What the application's own collector has left.
  def collect(app)
    store = Holdup::Store.open(app.store)
    log = CollectedLog.new
    warnings = Holdup::Collector::RateLimitedLog.new(log:, clock: Holdup::Clock.new)
    directory = Holdup::Segment::Directory.new(app.dir)
    round = Holdup::Collector::Round.new(store:, directory:, host: "h", warnings:)
    round.run(Holdup::Clock.new.realtime_ns)
    @counted = store.windows(0, 1 << 40).select { |window| window.series.unit? }.sum(&:count)
  ensure
    store&.close
  end

  # @return [Array<Array(String, Integer, String)>] begin or end, pid and path
  def ledger(app)
    lines = File.readlines(File.join(app.root, "ledger"), chomp: true).map(&:split)
    lines.map { |what, pid, path| [what, pid.to_i, path] }.reject { |*, path| path == UNMEASURED }
  rescue Errno::ENOENT
    []
  end

  # @return [Array<Holdup::Autopsy>]
  def deaths(app)
    store = Holdup::Store.open(app.store, read_only: true)
    store.deaths(0, 1 << 40)
  rescue Holdup::StoreError # the collector has not made it yet
    []
  ensure
    store&.close
  end

  def assert_exact(app, pids, asked)
    found = deaths(app)
    assert_equal pids.sort, found.map(&:pid).sort, "each killed worker has one, nobody else:\n#{app.log}"
    lines = ledger(app)
    found.each { |death| assert_in_flight(death, lines, asked) }
    assert_killed(found) if noted?
    begun = lines.count { |what, *| what == "begin" }
    unknown = (asked - lines.map(&:last)).size
    counted = @counted + found.sum { |death| death.units.size }
    assert_operator counted, :>=, begun, "each request that began is counted or in flight"
    assert_operator counted, :<=, begun + unknown, "none is both"
  end

  def assert_in_flight(death, lines, asked)
    own = lines.select { |_, pid, _| pid == death.pid }
    ended = own.filter_map { |what, _, path| path if what == "end" }
    open = own.map(&:last).uniq - ended
    names = death.units.map { |unit| unit[:name].delete_prefix("GET ") }
    assert_equal names.uniq, names
    assert_empty open - names, "each that had begun and not ended is in the autopsy"
    perhaps = ended.last(threads) + (asked - lines.map(&:last)).to_a
    assert_empty names - open - perhaps, "and no other"
  end

  def assert_killed(found)
    assert_equal [[:signal, 9]], found.map { |death| [death.reason, death.status] }.uniq
  end
end
