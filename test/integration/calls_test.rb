# frozen_string_literal: true

require "test_helper"
require "json"
require "support/calls_script"

# The libraries' own hooks, with real servers that say how long each call took them. While other threads hold
# the GVL, Ruby sees calls that take much longer; what Holdup calls remote is what the server says.
#
# A thread that has no CPU begins to wait late, or ends late. So of each level some calls have to agree;
# without the split none would where threads wait for the GVL.
class CallsIntegrationTest < Minitest::Test
  include CallsScript

  # Number of hogs => calls. A call waits for each of them several times, and for no longer than it has to be
  # for Ruby to see twice the time. Of the second Ruby `bin/bench call-truth` has more.
  CALLS = (Thorough.second ? {0 => 9, 3 => 6} : {0 => 12, 1 => 12, 3 => 8}).freeze
  SLICE = {RUBY_THREAD_TIMESLICE: "70"}.freeze # ms
  AGREE = 2
  WITHIN = 0.05
  LEAST_NS = 100_000

  # Each call is an endpoint of its own.
  LEVELS = <<~RUBY
    def levels
      #{CALLS}.each do |hogs, calls|
        stop = false
        threads = Array.new(hogs) { Thread.new { Math.sqrt(2) until stop } }
        calls.times { |call| Holdup.measure("hogs \#{hogs} #\#{call}") { yield "\#{hogs} #\#{call}" } }
        stop = true
        threads.each(&:join)
      end
      Holdup.stop
    end
  RUBY

  # @param truth [Array<Array(String, Numeric)>] "hogs #call", and its ns as the server says
  # @param system [String] the one that was called
  def assert_true(truth, system)
    found = calls.transform_values { |lines| lines.find { |line| line.system == system } }
    assert_equal CALLS.values.sum, truth.size
    truth.group_by { |name, _| name.to_i }.each do |hogs, said|
      lines = said.to_h { |name, ns| [found.fetch("hogs #{name}"), ns] }
      lines.each_key { |line| assert_adds_up(line) }
      off = lines.sort_by { |line, ns| (line.remote.sum - ns).abs }.first(AGREE)
      off.each { |line, ns| assert_in_delta ns, line.remote.sum, [ns * WITHIN, LEAST_NS].max, line.name }
      next if hogs < CALLS.keys.last
      off.each { |line, ns| assert_operator line.elapsed.sum, :>, 2 * ns, line.name }
    end
    assert_includes @report, "Calls to other systems"
  end

  def test_postgresql_logs_what_is_called_remote
    PostgresServer.run do |postgres|
      script(LEVELS + <<~RUBY, DATABASE_URL: postgres.url, **SLICE)
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
      logged = script(LEVELS + <<~RUBY, REDIS_URL: redis.url, BUSY:, **SLICE)
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

  def test_an_http_server_takes_what_is_called_remote
    server = IO.popen([RbConfig.ruby, "--disable=gems", "-e", SERVER])
    port = server.gets.to_i
    said = script(LEVELS + <<~RUBY, PORT: port.to_s, **SLICE)
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
      # A client that has no CPU when it has asked begins to wait later than the server begins to count.
      assert_operator line.remote.sum + starved_ns("A#b"), :>=, said.to_i * (1 - WITHIN)
      assert_adds_up(line)
      assert_equal [1], found.fetch("A#c").map(&:count)
    ensure
      Process.kill(:KILL, server.pid)
      server.close
    end
  end
end
