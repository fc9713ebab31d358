# frozen_string_literal: true

# memory_kills.rb KIND KILLS SEED [KILLER] [rest]: a Puma of two workers with ten endpoints, of which workers
# are killed for memory, again and again. Prints what `holdup deaths` says of it.
#   hog   one endpoint grows until its worker is killed
#   none  all requests leave something behind
# KILLER is kernel, where this machine allows that, or own. rest: after a death no requests come for a while.
require "json"
require "support/served_app"
require "support/wait_until"
require_relative "../memory_limit"

KIND, KILLS, SEED, KILLER, REST = ARGV
SCRATCH = ENV.fetch("HOLDUP_BENCH_SCRATCH")
APP = File.expand_path("../memory_kills", __dir__)
PUMA = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb", "config.ru"].freeze
RANDOM = Random.new(Integer(SEED))
ENDPOINTS = %w[/orders /users /carts /search /reports /invoices /labels /stock /prices /offers].freeze
HOG = ENDPOINTS.sample(random: RANDOM)

# Clients that pause between their requests.
class Clients
  COUNT = 4
  PAUSE_S = 0.06

  # @return [String, nil] for the query of all requests
  attr_accessor :query

  def initialize(port)
    @port = port
    @gate = Mutex.new
    @threads = Array.new(COUNT) { |number| Thread.new { ask(Random.new(Integer(SEED) * COUNT + number)) } }
  end

  def get(path, query)
    TCPSocket.open("127.0.0.1", @port) do |socket|
      socket.write("GET #{path}?#{query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      socket.read
    end
  rescue SystemCallError
    nil # its worker is gone
  end

  # No request begins meanwhile.
  def rest(seconds)
    @gate.synchronize { IO.select(nil, nil, nil, seconds) }
  end

  def stop
    @stopped = true
    @threads.each(&:join)
  end

  private

  def ask(random)
    until @stopped
      @gate.synchronize { nil }
      get(ENDPOINTS.sample(random:), @query)
      IO.select(nil, nil, nil, random.rand * PAUSE_S)
    end
  end
end

# The recording: load until a minute is known, then one kill after the other.
class KilledServer
  WORKERS = [0, 1].freeze
  MORE_BYTES = 120_000_000
  # Deaths within ten seconds of each other count as one.
  APART_S = 11
  MINUTE_S = 60
  # Of load, before the minute ends.
  LEAST_S = 15
  # What the collector has stored of a minute by then.
  STORED_S = 12
  ROUND_S = 2

  def initialize(app, group)
    @app = app
    @group = group
    @killed = []
  end

  # @return [Array<Integer>] pids of the workers that were killed. The kernel may kill another process as well
  attr_reader :killed

  def call
    @app.wait { all_live? }
    clients = Clients.new(@app.port)
    collecting = Thread.new { collect } unless @group.by_kernel?
    load_of_a_minute
    @group.limit(MORE_BYTES, -> { @app.processes.map { |process| process[:pid] } })
    Integer(KILLS).times { kill_one(clients) }
    @app.wait(every: 0.5) { deaths.size >= @killed.size }
    deaths
  ensure
    @stopped = true
    clients&.stop
    collecting&.join
  end

  private

  def workers = @app.live.map(&:pid)

  def all_live? = @app.live_workers == WORKERS

  def pause(seconds) = IO.select(nil, nil, nil, seconds)

  def load_of_a_minute
    left_s = MINUTE_S - Time.now.to_f % MINUTE_S
    left_s += MINUTE_S if left_s < LEAST_S
    pause(left_s + STORED_S)
  end

  def kill_one(clients)
    before = @group.kills
    there = workers
    hungry = Thread.new { clients.get(HOG, "grow") } if KIND == "hog"
    clients.query = "keep" if KIND == "none"
    @app.wait(every: 0.01) { @group.kills > before }
    clients.query = nil
    hungry&.join
    REST ? clients.rest(APART_S) : pause(APART_S)
    @app.wait { all_live? }
    @killed.concat(there - workers)
  end

  # @return [Array<Holdup::Autopsy>]
  def deaths
    store = Holdup::Store.open(@app.store, read_only: true)
    store.deaths(0, 1 << 40)
  rescue Holdup::StoreError # there is none yet
    []
  ensure
    store&.close
  end

  # The collector of the server would ask the kernel.
  def collect
    store = Holdup::Store.open(@app.store)
    clock = Holdup::Clock.new
    warnings = Holdup::Collector::RateLimitedLog.new(log: Holdup::Log.new { $stderr }, clock:)
    host = "bench"
    autopsies = Holdup::Collector::Autopsies.new(store:, host:, **@group.autopsies)
    directory = Holdup::Segment::Directory.new(@app.dir)
    round = Holdup::Collector::Round.new(store:, directory:, host:, warnings:, autopsies:)
    until @stopped
      round.run(clock.realtime_ns)
      pause(ROUND_S)
    end
  ensure
    store&.close
  end
end

def suspect(death)
  Holdup::Deaths::DeathSentences.new(death, words: Holdup::View::Words.new("en")).suspect
end

Bench::MemoryLimit.open(kernel: KILLER != "own") do |group|
  env = {"HOLDUP_DIR" => "#{SCRATCH}/segments", "HOLDUP_COLLECTOR" => group.by_kernel? ? "process" : "off"}
  ServedApp.serve(*group.inside(PUMA), app: APP, env:) do |app|
    server = KilledServer.new(app, group)
    deaths = server.call
    culprits = Holdup::Deaths::RepeatedCulprits.new(deaths).to_a.map(&:name)
    found = deaths.map do |death|
      {reason: death.reason, suspect: suspect(death), names: death.units.map { |unit| unit[:name] }}
    end
    puts JSON.generate(hog: "GET #{HOG}", by_kernel: group.by_kernel?, kills: server.killed.size,
      others: group.kills - server.killed.size, deaths: found, culprits:)
  end
end
