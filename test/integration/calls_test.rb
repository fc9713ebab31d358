# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/loader"

# The libraries' own hooks, with real servers that say how long each call took them. While other threads hold
# the GVL, Ruby sees calls that take much longer; what Holdup calls remote is what the server says.
#
# A thread that has no CPU begins to wait late, or ends late. So of each level some calls have to agree;
# without the split none would where threads wait for the GVL.
class CallsIntegrationTest < Minitest::Test
  HOGS = [0, 1, 3].freeze
  CALLS = 12
  AGREE = 2
  WITHIN = 0.05
  LEAST_NS = 100_000

  # Each call is an endpoint of its own.
  PRELUDE = <<~RUBY
    $LOAD_PATH.unshift(#{Collecting::LIB.dump})
    def levels
      #{HOGS}.each do |hogs|
        stop = false
        threads = Array.new(hogs) { Thread.new { Math.sqrt(2) until stop } }
        #{CALLS}.times { |call| Holdup.measure("hogs \#{hogs} #\#{call}") { yield "\#{hogs} #\#{call}" } }
        stop = true
        threads.each(&:join)
      end
      Holdup.stop
    end
  RUBY

  def setup
    @root = Dir.mktmpdir
  end

  def teardown = FileUtils.remove_entry(@root)

  def environment
    {"HOLDUP_DIR" => File.join(@root, "segments"), "HOLDUP_STORE" => "sqlite://#{@root}/store.sqlite3",
     "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
  end

  # @return [String] what it printed
  def script(text, **env)
    output, status = Open3.capture2e(environment.merge(env.transform_keys(&:to_s)), "timeout", "120",
      RbConfig.ruby, "-W:no-experimental", "-e", PRELUDE + text)
    assert status.success?, output
    output
  end

  def collect
    system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true)
  end

  # @return [Hash{String => Array<CallLine>}] by name of the unit
  def calls
    collect
    store = Holdup::Store.open(environment["HOLDUP_STORE"])
    now = Time.now.to_i
    summary = Holdup::Queries::LoadSummary.call(store, from_s: now - 600, to_s: now + 120)
    @report = Holdup::View::Text.new(Holdup::View::Report.new(summary).page).call
    summary.calls.to_h { |unit| [unit.name, unit.lines] }
  ensure
    store&.close
  end

  # @param truth [Array<Array(String, Numeric)>] "hogs #call", and its ns as the server says
  # @param system [String] the one that was called
  def assert_true(truth, system)
    found = calls.transform_values { |lines| lines.find { |line| line.system == system } }
    assert_equal HOGS.size * CALLS, truth.size
    truth.group_by { |name, _| name.to_i }.each do |hogs, said|
      lines = said.to_h { |name, ns| [found.fetch("hogs #{name}"), ns] }
      lines.each_key { |line| assert_adds_up(line) }
      off = lines.sort_by { |line, ns| (line.remote.sum - ns).abs }.first(AGREE)
      off.each { |line, ns| assert_in_delta ns, line.remote.sum, [ns * WITHIN, LEAST_NS].max, line.name }
      next if hogs < HOGS.last
      off.each { |line, ns| assert_operator line.elapsed.sum, :>, 2 * ns, line.name }
    end
    assert_includes @report, "Calls to other systems"
  end

  def assert_adds_up(line)
    assert_equal 1, line.count
    assert_equal line.elapsed.sum, line.remote.sum + line.stalled_ns + line.gc_ns + line.ruby_ns
  end

  def test_postgresql_logs_what_is_called_remote
    PostgresServer.run do |postgres|
      script(<<~RUBY, DATABASE_URL: postgres.url)
        require "active_record"
        require "holdup"
        variables = {log_min_duration_statement: 0}
        ActiveRecord::Base.establish_connection(url: ENV["DATABASE_URL"], variables:,
          prepared_statements: false)
        connection = ActiveRecord::Base.lease_connection
        connection.select_value("SELECT pg_sleep(0)") # asks for the types of answers, once
        Holdup.start
        levels { |name| connection.select_value("SELECT pg_sleep(0.1) /* hogs \#{name}. */") }
      RUBY
      truth = postgres.log.scan(/duration: ([\d.]+) ms .*hogs (\d #\d+)\./)
      assert_true(truth.map { |ms, name| [name, ms.to_f * 1_000_000] }, "sql")
    end
    assert_match(/hogs 3 #\d+: SQL primary/, @report)
  end

  BUSY = "local t = redis.call('TIME') local from = t[1] * 1000000 + t[2] " \
    "repeat t = redis.call('TIME') until t[1] * 1000000 + t[2] - from > 100000 return KEYS[1]"

  def test_redis_logs_what_is_called_remote
    RedisServer.run do |redis|
      redis.call("CONFIG", "SET", "slowlog-log-slower-than", "50000")
      logged = script(<<~RUBY, REDIS_URL: redis.url, BUSY:)
        require "json"
        require "redis-client"
        require "holdup"
        redis = RedisClient.new(url: ENV["REDIS_URL"], timeout: 10)
        redis.call("PING")
        Holdup.start
        levels { |name| redis.call("EVAL", ENV["BUSY"], 1, name) }
        evals = redis.call("SLOWLOG", "GET", 100).select { |entry| entry[3].first == "EVAL" }
        puts JSON.generate(evals.map { |entry| [entry[3].last, entry[2]] })
      RUBY
      assert_true(JSON.parse(logged).map { |name, us| [name, us * 1000] }, "redis")
      assert_match(%r{hogs 3 #\d+: Redis 127\.0\.0\.1:#{redis.port}/0}, @report)
    end
  end

  # Says in the answer how long it has taken, up to the answer.
  SERVER = <<~RUBY
    require "socket"
    server = TCPServer.new("127.0.0.1", 0)
    $stdout.sync = true
    puts server.addr[1]
    loop do
      client = server.accept
      line = client.gets
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      nil until client.gets == "\\r\\n"
      sleep 0.1 if line.include?("/slow")
      ns = (Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - from).to_s
      client.write("HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: \#{ns.size}\\r\\n\\r\\n\#{ns}")
      client.close
    end
  RUBY

  def test_an_http_server_takes_what_is_called_remote
    server = IO.popen([RbConfig.ruby, "--disable=gems", "-e", SERVER])
    port = server.gets.to_i
    said = script(<<~RUBY, PORT: port.to_s)
      require "net/http"
      require "json"
      require "holdup"
      Net::HTTP.get(URI("http://127.0.0.1:\#{ENV["PORT"]}/"))
      Holdup.start
      said = []
      url = URI("http://127.0.0.1:\#{ENV["PORT"]}/slow?secret=1")
      levels { |name| said << [name, Net::HTTP.get(url).to_i] }
      puts JSON.generate(said)
    RUBY
    assert_true(JSON.parse(said), "http")
    assert_match(/hogs 3 #\d+: connect 127\.0\.0\.1/, @report)
    refute_includes @report, "secret"
  ensure
    Process.kill(:KILL, server.pid)
    server.close
  end

  CLIENTS = {
    "excon" => "Excon.get(url).body.to_i",
    "httpx" => "HTTPX.get(url).to_s.to_i"
  }.freeze

  CLIENTS.each do |library, get|
    define_method(:"test_#{library}_waits_for_what_the_server_says") do
      server = IO.popen([RbConfig.ruby, "--disable=gems", "-e", SERVER])
      said = script(<<~RUBY, PORT: server.gets.strip)
        require #{library.dump}
        require "holdup"
        url = "http://127.0.0.1:\#{ENV["PORT"]}/slow"
        Holdup.start
        puts Holdup.measure("A#b") { #{get} }
        begin
          url = "http://127.0.0.1:1"
          Holdup.measure("A#c") { #{get} }
        rescue
          nil # nobody listens there
        end
        Holdup.stop
      RUBY
      found = calls
      line = found.fetch("A#b").find { |one| one.system == "http" }
      assert_equal ["127.0.0.1", 1], [line.target, line.count]
      assert_operator line.remote.sum, :>=, said.to_i
      assert_adds_up(line)
      assert_equal [1], found.fetch("A#c").map(&:count)
    ensure
      Process.kill(:KILL, server.pid)
      server.close
    end
  end

  def test_memcached_by_dalli
    MemcachedServer.run do |memcached|
      script(<<~RUBY, MEMCACHED: memcached.address)
        require "dalli"
        require "holdup"
        client = Dalli::Client.new(ENV["MEMCACHED"])
        client.set("a", 1)
        Holdup.start
        Holdup.measure("A#b") { raise "not read" unless client.get("a") == 1 }
        Holdup.measure("A#c") { raise "not read" unless client.get_multi("a", "b") == {"a" => 1} }
        Holdup.stop
      RUBY
      found = calls
      line = found.fetch("A#b").first
      assert_equal ["memcached", memcached.address, 1], [line.system, line.target, line.count]
      assert_adds_up(line)
      assert_equal [["memcached", 1]], found.fetch("A#c").map { |one| [one.system, one.count] }
    end
  end

  def test_each_can_be_switched_off
    RedisServer.run do |redis|
      script(<<~RUBY, REDIS_URL: redis.url, HOLDUP_CALLS: "sql,http")
        require "redis-client"
        require "holdup"
        redis = RedisClient.new(url: ENV["REDIS_URL"])
        Holdup.start
        Holdup.measure("A#b") { redis.call("PING") }
        hook = Holdup::Instrumentation::Calls::Redis::RedisMiddleware
        raise "hooked" if RedisClient::Middlewares.ancestors.grep(hook).any?
        Holdup.stop
      RUBY
    end
    assert_empty calls
  end

  def test_a_cache_over_redis_counts_once_and_loads_nothing
    RedisServer.run do |redis|
      script(<<~RUBY, REDIS_URL: redis.url)
        require "active_support"
        require "active_support/cache"
        require "redis-client"
        require "holdup"
        client = RedisClient.new(url: ENV["REDIS_URL"])
        store = Class.new(ActiveSupport::Cache::Store) do
          define_singleton_method(:name) { "Shop::RedisCache" }
          define_method(:read_entry) { |key, **| client.call("GET", key) && nil }
          define_method(:write_entry) { |key, _entry, **| client.call("SET", key, "1") }
        end.new
        client.call("PING")
        Holdup.start
        raise "loaded" if defined?(ActiveRecord) || defined?(Net::HTTP)
        Holdup.measure("A#b") do
          store.fetch("a") { client.call("PING") && 1 }
        end
        Holdup.stop
      RUBY
    end
    counts = calls.fetch("A#b").to_h { |line| [[line.system, line.target], line.count] }
    assert_equal 2, counts.fetch(["cache", "RedisCache"])
    assert_equal [1], counts.select { |(system, _), _| system == "redis" }.values
  end
end
