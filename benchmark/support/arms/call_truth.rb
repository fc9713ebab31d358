# frozen_string_literal: true

# call_truth.rb SYSTEM CALLS: asks it so often while none, one or three other threads compute. Prints of each
# call how long it took for Ruby, and how much of that is remote; and what the server says, where its client
# can ask for that.

require "json"
require "holdup"

SYSTEM, CALLS = ARGV[0], Integer(ARGV[1])
HOGS = [0, 1, 3].freeze
ADDRESS = ENV.fetch("ADDRESS")
# Busy for 100 ms: a Redis that only waits would have to be stopped.
BUSY = "local t = redis.call('TIME') local from = t[1] * 1000000 + t[2] " \
  "repeat t = redis.call('TIME') until t[1] * 1000000 + t[2] - from > 100000 return KEYS[1]"

# One call each: `call` takes its name.
class PostgresqlTruthClient
  def initialize
    require "active_record"
    variables = {log_min_duration_statement: 0}
    ActiveRecord::Base.establish_connection(url: ADDRESS, variables:, prepared_statements: false)
    @connection = ActiveRecord::Base.lease_connection
    @connection.select_value("SELECT pg_sleep(0)") # asks for the types of answers, once
  end

  def call(name)
    @connection.select_value("SELECT pg_sleep(0.1) /* call #{name}. */")
  end

  # Its log has it.
  def said = {}
end

class RedisTruthClient
  def initialize
    require "redis-client"
    @redis = RedisClient.new(url: ADDRESS, timeout: 10)
    @redis.call("CONFIG", "SET", "slowlog-log-slower-than", "50000")
  end

  def call(name)
    @redis.call("EVAL", BUSY, 1, name)
  end

  def said
    evals = @redis.call("SLOWLOG", "GET", 1000).select { |entry| entry[3].first == "EVAL" }
    evals.to_h { |entry| [entry[3].last, entry[2] * 1000] }
  end
end

class HttpTruthClient
  attr_reader :said

  def initialize
    require "net/http"
    @url = URI("http://#{ADDRESS}/slow")
    @said = {}
  end

  def call(name)
    @said[name] = Net::HTTP.get(@url).to_i
  end
end

type, KIND = {"PostgreSQL" => [PostgresqlTruthClient, "sql"], "Redis" => [RedisTruthClient, "redis"],
              "HTTP" => [HttpTruthClient, "http"]}.fetch(SYSTEM)
client = type.new

Holdup.configure do |config|
  config.collector = :off
  config.dir = ENV.fetch("HOLDUP_BENCH_SCRATCH")
  config.log = File::NULL
end
Holdup.start
HOGS.each do |hogs|
  stop = false
  threads = Array.new(hogs) { Thread.new { Math.sqrt(2) until stop } }
  CALLS.times do |number|
    name = "#{hogs} #{number}"
    Holdup.measure(name) { client.call(name) }
  end
  stop = true
  threads.each(&:join)
end
Holdup.stop

require "holdup/segment/directory"
said = client.said
entries = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_BENCH_SCRATCH")).entries
slots = entries.flat_map { |entry| entry.read(&:snapshot).slots }.compact
calls = slots.select { |slot| slot.series.kind == :call && slot.series.queue.start_with?(KIND) }
found = calls.map do |slot|
  {name: slot.series.name, seen: slot.histogram(:wall).sum, remote: slot.histogram(:idle).sum,
   said: said[slot.series.name]}
end
puts JSON.generate(found)
