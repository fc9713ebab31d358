# frozen_string_literal: true

require "active_record"
require "connection_pool"
require "json"
require "native/gvl_work"
require "whom/planted_locks"

# Work whose waits are known. Each unit notes when it held the GVL, when it wanted it back, and when it had a
# connection, by the monotonic clock that Holdup reads too. A thread of the process writes that into a file.
module PlantedWaits
  MS = 1_000_000
  WRITE_S = 0.2
  # Milliseconds of each step: with the GVL, and asleep without it.
  GVL = {"report" => [[:hold, 12], [:wait, 20]] * 2, "price" => [[:hold, 3], [:wait, 10]] * 4,
         "stock" => [[:wait, 4], [:hold, 0.3]] * 10, "cart" => [[:wait, 2], [:hold, 0.1]] * 20}.freeze
  # Connections of the pool, and for how long one is kept.
  LEASES = {"refill" => [1, 30], "lookup" => [1, 5], "batch" => [5, 120], "browse" => [5, 60]}.freeze
  # How often a unit of the N+1 lets go of the GVL.
  QUERIES = 150
  NAMES = [*GVL.keys, *LEASES.keys, "checkout", "orders", *LockPlan::NAMES].freeze
  POOLS = [1, 5].to_h { |size| [size, ConnectionPool.new(size:, timeout: 60) { Object.new }] }.freeze
  NOTES = Queue.new

  module_function

  # @param name [String] of the work
  # @return [void]
  def call(name)
    write_notes
    case name
    when "orders" then orders
    when "checkout" then checkout
    when *LEASES.keys then lease(name, *LEASES.fetch(name))
    when *LockPlan::NAMES then note(name, lock: PlantedLocks.call(name))
    else compute(name)
    end
  end

  def orders
    QUERIES.times { GvlWork.release(1) }
    note("orders")
  end

  def compute(name)
    holds = []
    waits = []
    GVL.fetch(name).each do |kind, ms|
      if kind == :hold
        holds << timed { GvlWork.hold((ms * MS).round) }
      else
        woke = GvlWork.wait((ms * MS).round)
        waits << [woke, now]
      end
    end
    note(name, holds:, waits:)
  end

  def lease(name, size, ms)
    asked = now
    got = back = nil
    POOLS.fetch(size).with do
      got = now
      GvlWork.wait(ms * MS)
      back = now
    end
    note(name, pool: size, lease: [asked, got, back, now])
  end

  # Notes for how long it has a transaction at least, which begins with the first statement, and at most: the
  # thread may wait for the GVL when the answer of COMMIT is there.
  def checkout
    connection = ActiveRecord::Base.lease_connection
    connection.execute("SELECT 1") # connects
    from = begun = ends = nil
    connection.transaction do
      from = now
      connection.execute("SELECT 1")
      begun = now
      GvlWork.wait(5 * MS)
      GvlWork.hold(MS)
      ends = now
    end
    note("checkout", open: [ends - begun, now - from])
  ensure
    ActiveRecord::Base.release_connection
  end

  def timed
    from = now
    yield
    [from, now]
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

  def note(name, **facts)
    NOTES << {pid: Process.pid, name:, **facts}
  end

  # A forked process needs a thread of its own.
  def write_notes
    return if @writer&.alive? && @pid == Process.pid
    @pid = Process.pid
    @writer = Thread.new do
      File.open(File.join(ENV.fetch("WHOM_NOTES"), Process.pid.to_s), "a") do |file|
        loop do
          sleep WRITE_S
          PlantedLocks.end_waits
          file.write(*Array.new(NOTES.size) { "#{JSON.generate(NOTES.pop)}\n" })
          file.flush
        end
      end
    end
  end
end
