# frozen_string_literal: true

require "test_helper"
require "support/calls_script"

# The libraries' own hooks: each call counts once, also by libraries on top of others, and each hook can be
# switched off.
class CallLibrariesTest < Minitest::Test
  include CallsScript

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
