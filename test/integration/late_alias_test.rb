# frozen_string_literal: true

require "test_helper"
require "support/calls_script"

# Real calls of every library whose calls are measured, while other libraries put an alias chain, a prepended
# module and a refinement around each hooked method: before Holdup's hooks, after them, and both. Every call
# gives what it gives without them and counts as often.
class LateAliasTest < Minitest::Test
  include CallsScript

  LIBRARIES = <<~RUBY
    $LOAD_PATH.push(#{File.expand_path("..", __dir__).dump})
    require "support/method_neighbours"
    require "net/http"
    require "open3"
    require "excon"
    require "httpx"
    require "dalli"
    gem "redis", "~> 4.8"
    require "redis"
    require "redis-client"
    require "elastic-transport"
    require "opensearch"
    require "sidekiq"
    require "active_record"
    require "active_job"
    require "active_support/cache"
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
    ActiveJob::Base.logger = nil
    class MailJob < ActiveJob::Base
      self.queue_adapter = :sidekiq
    end
    class PlainJob
      include Sidekiq::Job
    end
    Sidekiq.configure_client { |config| config.redis = {url: ENV["REDIS_URL"]} }
    FileCache = ActiveSupport::Cache::FileStore.new(ENV["HOLDUP_DIR"] + ".cache")

    # "Net::HTTP#request", "Process._fork"
    def of_title(title)
      owner, kind, name = title.match(/\\A(.+)([#.])([^#.]+)\\z/).captures
      owner = Object.const_get(owner)
      [(kind == "#") ? owner : owner.singleton_class, name.to_sym]
    end

    URL = "http://127.0.0.1:\#{ENV["PORT"]}/"
    OLD_REDIS = Redis.new(url: ENV["REDIS_URL"])
    NEW_REDIS = RedisClient.new(url: ENV["REDIS_URL"])
    DALLI = Dalli::Client.new(ENV["MEMCACHED"])
    SEARCHES = [Elastic::Transport::Client, OpenSearch::Transport::Client].map { |type| type.new(url: URL) }
    [OLD_REDIS.get("a"), NEW_REDIS.call("PING"), DALLI.set("a", 1), Sidekiq.redis { |one| one.call("PING") }]
    ActiveRecord::Base.connection.execute("SELECT 1")

    CALLS = {
      "Net::HTTP" => -> { Net::HTTP.get(URI(URL)) },
      "Net::HTTP with a block" => -> {
        Net::HTTP.start("127.0.0.1", ENV["PORT"]) { |one| one.get("/") { nil } }.code
      },
      "Excon" => -> { Excon.get(URL).status },
      "HTTPX" => -> { HTTPX.get(URL).status },
      "redis 4" => -> { [OLD_REDIS.set("b", 1), OLD_REDIS.pipelined { |one| one.get("b") }] },
      "redis-client" => -> {
        [NEW_REDIS.call("SET", "c", 1), NEW_REDIS.pipelined { |one| one.call("GET", "c") }]
      },
      "Dalli" => -> { [DALLI.get("a"), DALLI.get_multi("a", "b")] },
      "search" => -> { SEARCHES.map { |one| one.perform_request("GET", "/").status } },
      "push" => -> {
        [PlainJob.perform_async.size, PlainJob.perform_bulk([[]]).size, MailJob.perform_later.class]
      },
      "SQL" => -> { ActiveRecord::Base.connection.select_value("SELECT 7") },
      "cache" => -> { [FileCache.write("a", 1), FileCache.read("a"), FileCache.read_multi("a", "b")] },
      "commands" => -> {
        [system("exit 3"), $?.exitstatus, `echo a`, Kernel.system("true"), Kernel.`("echo b"),
          Open3.capture2("cat", stdin_data: "c").first, Open3.capture2e("echo d").first,
          Open3.capture3("echo e").first]
      },
      "waits" => -> {
        %i[wait wait2 waitpid waitpid2].map { |name| Array(Process.send(name, spawn("exit 4"))).size }
      },
      "fork" => -> {
        reader, writer = IO.pipe
        child = fork { writer.write("x") && exit!(5) }
        Process.wait(child)
        writer.close
        [reader.read, $?.exitstatus]
      },
      "popen" => -> { IO.popen("-") { |io| io ? io.read : print("child") } }
    }
    JSON.parse(ENV["BEFORE"]).each do |title|
      MethodNeighbours.wrap(*of_title(title), last: ENV["AFTER"] != "true")
    end
    require "holdup"
    Holdup.start
    hooked = Holdup::Hooks::MethodHook.all.select(&:original)
    MethodNeighbours.wrap_hooked_methods(hooked) if ENV["AFTER"] == "true"
    given = CALLS.to_h { |name, call| [name, Holdup.measure(name, &call)] }
    Holdup.stop
    named = hooked.map(&:title).reject { |title| title.start_with?("#") }
    puts JSON.generate([named, given, $stderr.is_a?(IO)])
    $stdout.flush
    exit!(0)
  RUBY

  # @param before [Array<String>] methods that others wrap before Holdup starts
  # @return [Array(Array, Hash, Hash)] the hooked methods, what calls gave, and how many calls counted in each
  def run_calls(before: [], after: false)
    segments = environment.fetch("HOLDUP_DIR")
    FileUtils.rm_rf([segments, "#{segments}.cache", *Dir["#{@root}/store*"]])
    FileUtils.mkdir_p("#{segments}.cache")
    said = script(LIBRARIES, REDIS_URL: @redis.url, MEMCACHED: @memcached.address, PORT: @port,
      BEFORE: JSON.generate(before), AFTER: after.to_s)
    hooked, given, = JSON.parse(said.lines.last)
    counted = calls.transform_values { |lines| lines.to_h { |one| [[one.system, one.target], one.count] } }
    [hooked, given, counted]
  end

  def with_servers
    RedisServer.run do |redis|
      MemcachedServer.run do |memcached|
        server = IO.popen([RbConfig.ruby, "--disable=gems", "-e", SERVER])
        @redis, @memcached, @port = redis, memcached, server.gets.strip
        yield
      ensure
        Process.kill(:KILL, server.pid)
        server.close
      end
    end
  end

  SYSTEMS = %w[http connect redis memcached search push sql cache subprocess].freeze

  def test_calls_go_on_and_count_once_whatever_other_libraries_put_around_them
    with_servers do
      hooked, given, counted = run_calls
      assert_empty SYSTEMS - counted.values.flat_map(&:keys).map(&:first)
      assert_operator hooked.size, :>=, 25
      moments = {before: {before: hooked}, after: {after: true}, both: {before: hooked, after: true}}
      moments.each do |moment, options|
        _, given_then, counted_then = run_calls(**options)
        given.each_key do |name|
          what = "#{name}, wrapped #{moment}"
          assert_equal [given[name]], [given_then[name]], what unless name == "Net::HTTP" # the body is a time
          assert_equal counted.fetch(name, {}), counted_then.fetch(name, {}), what
        end
      end
    end
  end
end
