# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "net/http"

# Two hosts, each with Puma, Sidekiq and a collector, write into one PostgreSQL under load, while a collector
# is killed again and again and the server goes down: the store, and what the collectors export, have exactly
# what was sent.
class ExactlyOnceTest < Minitest::Test
  include Collecting
  include CommandLine
  include TemporaryFolder

  KILLS = Integer(ENV.fetch("HOLDUP_TEST_KILLS", Thorough.turns(5, thorough: 15, nightly: 50)))
  # In the thorough part longer than a window. OutageContract has an hour, of another clock. By hand, for as
  # long as wanted, with its figures (docs/measurements/soak.md):
  #
  #   HOLDUP_TEST_OUTAGE_S=300 HOLDUP_TEST_KILLS=50 bin/test test/integration/exactly_once_test.rb
  OUTAGE_S = Float(ENV.fetch("HOLDUP_TEST_OUTAGE_S", Thorough.turns(3, thorough: 65, nightly: 100)))
  PUMA = %w[bundle exec ruby -S puma -C puma.rb].freeze
  INTERVAL_S = 0.2
  LAST = 50
  # Requests all the time, and CPU left to the collectors, which are what is tested.
  PAUSE_S = 0.02

  # One host: its folder of segments, the port of its collector's figures, and what runs on it.
  LoadedHost = Struct.new(:name, :segments, :port, :app, :sidekiq, :collector, :traffic) do
    def log_path = "#{segments}.log"
  end

  repeated_everywhere def test_everything_counts_once_while_collectors_are_killed_and_the_database_is_down
    [PostgresServer, RedisServer].each do |server|
      skip "no #{server} here: bin/setup --services installs it" unless server.installed?
    end
    @random = Random.new(Minitest.seed)
    @pushed = 0
    with_hosts do |hosts|
      hosts.each do |host|
        host.traffic = ClientTraffic.to(host.app, "/orders", clients: 1, pause_s: PAUSE_S)
      end
      live_through(hosts)
      hosts.each { |host| host.traffic.stop }
      wait_until { done == @pushed }
      wait_until(every: 0.2) { counted.values.sum >= sent(hosts).values.sum }
      assert_exact(hosts)
      assert_exported(hosts)
      print_figures(hosts) if ENV.key?("HOLDUP_TEST_OUTAGE_S")
    end
  end

  def teardown
    end_all
    super
  end

  private

  # @yieldparam hosts [Array<LoadedHost>]
  def with_hosts
    PostgresServer.run(port: FreePorts.take) do |postgres|
      @postgres = postgres
      Holdup::Store.open(store_url).tap(&:migrate!).close
      RedisServer.run do |redis|
        @redis = redis
        with_host("web-1") { |one| with_host("web-2") { |two| yield [one, two] } }
      end
    end
  end

  def with_host(name)
    segments = File.join(folder, name)
    host = LoadedHost.new(name:, segments:, port: FreePorts.take)
    ServedApp.serve(*PUMA, app: "plain", env: {"HOLDUP_DIR" => segments, "WORKERS" => "2"}) do |app|
      SidekiqProcess.run(@redis, "-t", "1", "-c", "3", env: {"HOLDUP_DIR" => segments}) do |sidekiq|
        host.app = app
        host.sidekiq = sidekiq
        start_collector(host)
        yield host
      end
    end
  end

  def store_url = @postgres.url.sub("postgresql:", "postgres:")

  def start_collector(host)
    env = {"HOLDUP_HOST" => host.name, "HOLDUP_PROMETHEUS" => host.port.to_s, "HOLDUP_STORE" => store_url}
    env = OWN_LOAD_PATH.merge(env)
    host.collector = Process.spawn(env, RbConfig.ruby, EXE, "collect", "--dir", host.segments, "--interval",
      INTERVAL_S.to_s, out: File::NULL, err: [host.log_path, "a"])
    started << host.collector
  end

  # The killed collector is that of the first host.
  def live_through(hosts)
    KILLS.times do |number|
      push(hosts.last, 20)
      kill(hosts.first)
      next unless number == KILLS / 2
      without_database(hosts) { kill(hosts.first) if KILLS > 1 }
    end
  end

  def push(host, jobs)
    host.sidekiq.push("#{jobs}.times { PlainJob.perform_async }")
    @pushed += jobs
  end

  # Anywhere in its life: while it boots, reads, commits or waits.
  def kill(host)
    lock = File.join(host.segments, "collector.lock")
    wait_until { File.exist?(lock) && File.read(lock).to_i == host.collector } if @random.rand(4).positive?
    IO.select(nil, nil, nil, @random.rand(0.5))
    end_process(host.collector, :KILL)
    start_collector(host)
  end

  # Applications notice nothing: they answer, and none of them talks to the database.
  def without_database(hosts)
    wait_until { connected?(hosts.last.collector) }
    assert_equal [false], processes(hosts).map { |pid| connected?(pid) }.uniq
    @postgres.crash
    before = hosts.map { |host| host.traffic.answered }
    IO.select(nil, nil, nil, OUTAGE_S)
    yield
    # However slow the machine is: a server that waited for the database would never come so far.
    wait_until { answered_since(before, hosts).min > 10 * OUTAGE_S }
    @answered = answered_since(before, hosts)
    @postgres.start_again
  end

  # @return [Array<Integer>] by host
  def answered_since(before, hosts) = hosts.zip(before).map { |host, count| host.traffic.answered - count }

  # @return [Array<Integer>] pids of workers of Puma and of Sidekiq
  def processes(hosts)
    hosts.flat_map { |host| Holdup::Segment::Directory.new(host.segments).entries.map(&:pid) }
  end

  # Whether the process has a connection to the database.
  def connected?(pid)
    port = format(":%04X", @postgres.url[/:(\d+)/, 1].to_i)
    rows = File.readlines("/proc/#{pid}/net/tcp").drop(1).map(&:split)
    inodes = rows.select { |row| row[2].end_with?(port) }.map { |row| "socket:[#{row[9]}]" }
    Dir["/proc/#{pid}/fd/*"].any? { |link| inodes.include?(File.readlink(link)) }
  rescue SystemCallError
    false
  end

  def done = @redis.get("reported:plain").to_i

  # @return [Hash{Array => Integer}] by kind and host; jobs run on any of them
  def sent(hosts)
    requests = hosts.to_h { |host| [["GET /orders", host.name], host.traffic.answered] }
    requests.merge(["PlainJob", nil] => @pushed)
  end

  def counted
    windows = units
    windows.each_with_object(Hash.new(0)) do |window, counts|
      host = window.host if window.series.kind == :request
      counts[[window.series.name, host]] += window.count
    end
  end

  def units(kinds = %i[request job])
    store = Holdup::Store.open(store_url, read_only: true)
    store.windows(0, 1 << 40, kinds:).to_a
  rescue Holdup::StoreError
    []
  ensure
    store&.close
  end

  def assert_exact(hosts)
    assert_equal [0, 0], hosts.map { |host| host.traffic.troubled }
    assert_equal sent(hosts), counted
    all = sent(hosts).values.sum
    walls = units.map { |window| window.histograms[:wall] }
    assert_equal all, walls.sum { |wall| wall.zero + wall.counts.sum }
    assert_equal all, units([:process]).sum(&:count), "of each process"
    assert_operator all, :>, 100 * hosts.size
    [300, 3600].each do |seconds|
      assert_equal all, windows_of(seconds).sum(&:count), "windows of #{seconds} s"
    end
  end

  def windows_of(seconds)
    store = Holdup::Store.open(store_url)
    store.rollup(Time.now.to_i + 86_400)
    store.windows(0, 1 << 40, kinds: %i[request job], seconds:).to_a
  ensure
    store&.close
  end

  # The second host's collector has lived through all of it. A collector that takes over begins at 0.
  def assert_exported(hosts)
    first, second = hosts
    own = units.select { |window| window.host == second.name }.sum(&:count)
    wait_until { exported(second) >= own }
    assert_equal own, exported(second)
    kill(first)
    wait_until { exported(first) }
    before = exported(first)
    LAST.times { assert_equal "200", first.app.get("/orders").code }
    wait_until { exported(first) >= before + LAST }
    assert_equal before + LAST, exported(first)
    all = sent(hosts).values.sum + LAST
    wait_until(every: 0.2) { units.sum(&:count) >= all }
    assert_equal all, units.sum(&:count)
  end

  def print_figures(hosts)
    requests = hosts.map { |host| host.traffic.answered }
    puts "#{KILLS} kills, #{OUTAGE_S.round} s without the database, in which #{@answered.sum} requests " \
      "were answered: sent #{requests.sum + LAST} requests and #{@pushed} jobs, stored " \
      "#{units.sum(&:count)}"
  end

  # @return [Integer, nil] requests and jobs that the collector has exported; nil while it does not listen
  def exported(host)
    text = Net::HTTP.get(URI("http://127.0.0.1:#{host.port}/metrics"))
    lines = text.lines.grep(/\Aruby_gvl_duration_seconds_count\{.*kind="(request|job)"/)
    lines.sum { |line| line.split.last.to_f.to_i }
  rescue SystemCallError, EOFError
    nil
  end
end
