# frozen_string_literal: true

# row_locks.rb LIBRARY COUNT...: so many transactions that keep a row locked, while none, one or three other
# threads compute. Prints of each level what Holdup says of them: how many, how long they were open, and how
# much of that their thread stalled.

require "json"
require "holdup"
require_relative "../whom/row_lock_watcher"

LIBRARY = ARGV[0]
LEVELS = [0, 1, 3].zip(ARGV.drop(1).map { |count| Integer(count) }).to_h.freeze
ADDRESS = ENV.fetch("ADDRESS")
# For so long it waits without the GVL, each time.
SLEEP_S = 0.4
TURNS = 100_000

# As an application has them.
class ActiveRecordClient
  def initialize
    require "active_record"
    ActiveRecord::Base.establish_connection(url: ADDRESS, prepared_statements: false)
    @connection = ActiveRecord::Base.lease_connection
  end

  def transaction(&) = ActiveRecord::Base.transaction(&)

  def run(sql) = @connection.execute(sql)
end

class SequelClient
  def initialize
    require "sequel"
    @database = Sequel.connect(ADDRESS)
  end

  def transaction(&) = @database.transaction(&)

  def run(sql) = @database.run(sql)
end

client = {"Active Record" => ActiveRecordClient, "Sequel" => SequelClient}.fetch(LIBRARY).new
client.transaction { client.run("SELECT 1") } # loads what it needs

Holdup.configure do |config|
  config.collector = :off
  config.dir = ENV.fetch("HOLDUP_BENCH_SCRATCH")
  config.log = File::NULL
end
Holdup.start
LEVELS.each do |hogs, count|
  stop = false
  threads = Array.new(hogs) { Thread.new { Math.sqrt(2) until stop } }
  count.times do
    Holdup.measure(hogs.to_s) do
      client.transaction do
        client.run(format(Bench::RowLockWatcher::LOCK, hogs))
        sleep SLEEP_S
        TURNS.times { Math.sqrt(2) }
      end
    end
    sleep 0.01 # the other session begins to wait anew
  end
  stop = true
  threads.each(&:join)
end
Holdup.stop

require "holdup/segment/directory"
entries = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_BENCH_SCRATCH")).entries
slots = entries.flat_map { |entry| entry.read(&:snapshot).slots }.compact
transactions = slots.select { |slot| slot.series.kind == :transaction }
found = transactions.map do |slot|
  {level: slot.series.name, count: slot.count, open: slot.histogram(:wall).sum,
   stalled: slot.histogram(:stalled).sum}
end
puts JSON.generate(found)
