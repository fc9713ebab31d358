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

  def test_the_older_redis_gem
    RedisServer.run do |redis|
      script(<<~RUBY, REDIS_URL: redis.url)
        gem "redis", "~> 4.8"
        require "redis"
        require "holdup"
        redis = Redis.new(url: ENV["REDIS_URL"])
        Holdup.start
        Holdup.measure("A#b") do
          redis.set("a", 1)
          raise "not read" unless redis.pipelined { |one| one.get("a") && one.get("b") } == ["1", nil]
        end
        Holdup.measure("A#c") do
          redis.call("NO", "such")
        rescue Redis::CommandError
          nil # answered
        end
        Holdup.stop
      RUBY
      found = calls
      target = "redis 127.0.0.1:#{redis.port}/0"
      assert_equal [{target => 2}, {target => 1}], %w[A#b A#c].map { |name| counts(found, name) }
      assert_adds_up(found.fetch("A#c").first)
    end
  end

  # @return [Hash{String => Integer}] of one name: what was called => how often
  def counts(found, name)
    found.fetch(name).to_h { |line| [[line.system, line.target].compact.join(" "), line.count] }
  end

  def test_a_push_of_a_job_counts_once_also_by_active_job
    RedisServer.run do |redis|
      script(<<~RUBY, REDIS_URL: redis.url)
        require "sidekiq"
        require "active_job"
        require "holdup"
        class PlainJob
          include Sidekiq::Job
        end
        class MailJob < ActiveJob::Base
          self.queue_adapter = :sidekiq
        end
        class OwnJob < ActiveJob::Base
          self.queue_adapter = :inline
          def perform = PlainJob.perform_async
        end
        ActiveJob::Base.logger = nil
        Sidekiq.redis { |connection| connection.call("PING") }
        Holdup.start
        Holdup.measure("A#b") do
          PlainJob.perform_async(1) or raise
          PlainJob.perform_in(60, 1)
          raise "not pushed" unless PlainJob.perform_bulk([[1], [2]]).size == 2
        end
        Holdup.measure("A#c") do
          MailJob.perform_later
          MailJob.set(wait: 60).perform_later
          ActiveJob.perform_all_later(MailJob.new, MailJob.new)
        end
        Holdup.measure("A#d") { OwnJob.perform_later }
        sizes = Sidekiq.redis { |one| [one.call("LLEN", "queue:default"), one.call("ZCARD", "schedule")] }
        raise sizes.inspect unless sizes == [7, 2]
        Holdup.stop
      RUBY
    end
    found = calls
    %w[A#b A#c].each { |name| assert_equal({"push Sidekiq" => 3}, counts(found, name)) }
    assert_equal({"push Sidekiq" => 1}, counts(found, "A#d"))
    assert_includes @report, "job push Sidekiq"
  end

  SEARCHES = {
    "elastic-transport" => ["elastic-transport", "Elastic::Transport::Client"],
    "opensearch" => ["opensearch", "OpenSearch::Transport::Client"]
  }.freeze

  SEARCHES.each do |library, (file, client)|
    define_method(:"test_requests_of_#{library.tr("-", "_")}_count_once_with_the_host") do
      server = IO.popen([RbConfig.ruby, "--disable=gems", "-e", SERVER])
      said = script(<<~RUBY, PORT: server.gets.strip)
        require #{file.dump}
        require "holdup"
        one = #{client}.new(url: "http://user:secret@127.0.0.1:\#{ENV["PORT"]}")
        several = #{client}.new(urls: "http://localhost:1,http://127.0.0.1:\#{ENV["PORT"]}")
        Holdup.start
        answer = Holdup.measure("A#b") { one.perform_request("GET", "/slow", {q: "secret"}) }
        raise "no answer" unless answer.status == 200
        Holdup.measure("A#c") do
          2.times { several.perform_request("GET", "/") }
        rescue
          nil # one of the two is not there
        end
        puts answer.body
        Holdup.stop
      RUBY
      found = calls
      line = found.fetch("A#b").first
      assert_equal ["search", "127.0.0.1", 1], [line.system, line.target, line.count]
      assert_adds_up(line)
      assert_operator line.remote.sum, :>=, said.lines.last.to_i * 0.95
      assert_equal ["search 127.0.0.1 (of 2)"], counts(found, "A#c").keys
      refute_includes @report, "secret"
    ensure
      Process.kill(:KILL, server.pid)
      server.close
    end
  end

  def test_child_processes_with_their_programs
    script(<<~RUBY)
      require "open3"
      require "holdup"
      Holdup.start
      raise "rescued" if Holdup.measure("A#b") { system("false") }
      Holdup.measure("A#c") do
        raise "not run" unless system({"SECRET" => "1"}, "sleep 0.1; true", out: :err) && $?.success?
        raise "not run" unless system("/bin/sleep", "0.1") && Kernel.system(["sleep", "other"], "0")
        raise "not run" unless `echo a` == "a\n" && $?.exitstatus == 0
      end
      Holdup.measure("A#d") do
        output, status = Open3.capture2e("cat; exit 3", stdin_data: "b")
        raise "not run" unless output == "b" && status.exitstatus == 3
        Process.wait(pid = spawn("true"))
        raise "not run" unless $?.pid == pid
      end
      Holdup.measure("A#e") { system("NO=SUCH program-of-nobody") }
      begin
        Object.new.system("true")
        raise "public"
      rescue NoMethodError
        nil # it is private
      end
      Holdup.measure("A#f") { 30.times { |number| system("sh\#{number}") } }
      ractor = Ractor.new { `echo c` }
      puts ractor.respond_to?(:value) ? ractor.value : ractor.take
      Holdup.stop
    RUBY
    found = calls
    assert_equal({"subprocess false" => 1}, counts(found, "A#b"))
    assert_equal({"subprocess sleep" => 3, "subprocess echo" => 1}, counts(found, "A#c"))
    assert_operator found.fetch("A#c").find { |line| line.target == "sleep" }.remote.sum, :>=, 150_000_000
    assert_equal({"subprocess cat" => 1, "subprocess" => 1}, counts(found, "A#d"))
    assert_equal({"subprocess" => 1}, counts(found, "A#e"))
    assert_includes counts(found, "A#f"), "subprocess"
    assert_operator counts(found, "A#f").size, :<, 20
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
        hooked = Holdup::Hooks::MethodHook.all.map(&:title)
        raise hooked.join(" ") if hooked.grep(/Kernel|Redis|Open3/).any?
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
