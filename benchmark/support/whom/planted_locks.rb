# frozen_string_literal: true

require "monitor"
require "native/gvl_work"
require_relative "lock_plan"

# Waits for locks whose ends are known. Who ends a wait leaves its name and the time beside what it gives up,
# right before it does. The one that waited reads that, so it knows who ended its wait and how long it lasted.
module PlantedLocks
  MS = 1_000_000
  # For how long one steps aside that would take what another one was just woken for. Ruby would let that one
  # wait twice, for one after the other, and it would know only of both together.
  ASIDE_NS = 100_000

  # A Mutex or Monitor.
  class NotedLock
    # @param lock [#synchronize]
    def initialize(lock)
      @lock = lock
      @left = ["", 0].freeze
      @waiting = 0
      @kept = false
    end

    # Has the lock for that long.
    # @return [Array(String, Integer)] who ended the wait, and after how many ns; none of 0 or less
    def keep(name, ms)
      GvlWork.wait(ASIDE_NS) while @waiting.positive? && !@kept
      @waiting += 1
      asked = PlantedLocks.now
      ender, left = @lock.synchronize { kept(name, ms) }
      [ender, left - asked]
    end

    private

    # @return [Array(String, Integer)] who has left it before, and when
    def kept(name, ms)
      before = @left
      @waiting -= 1
      @kept = true
      GvlWork.wait(ms * MS)
      @kept = false
      @left = [name, PlantedLocks.now].freeze
      before
    end
  end

  # A Queue. Something is pushed only for those that wait.
  class NotedQueue
    def initialize
      @items = Queue.new
    end

    # @return [Array(String, Integer)] as for a NotedLock
    def take(_name)
      GvlWork.wait(ASIDE_NS) until @items.empty?
      asked = PlantedLocks.now
      ender, pushed = @items.pop
      [ender, pushed - asked]
    end

    # @return [void]
    def give(name, ms = 0)
      GvlWork.wait(ms * MS)
      @items << [name, PlantedLocks.now] if @items.num_waiting > @items.size
    end
  end

  # A ConditionVariable. It wakes those that wait in their order.
  class NotedCondition
    def initialize
      @mutex = Mutex.new
      @condition = ConditionVariable.new
      @waiting = []
    end

    # @return [Array(String, Integer)] as for a NotedLock
    def take(_name)
      given = []
      @mutex.synchronize do
        @waiting << given
        asked = PlantedLocks.now
        @condition.wait(@mutex) while given.empty?
        ender, signalled = given
        [ender, signalled - asked]
      end
    end

    # @return [void]
    def give(name, ms = 0)
      GvlWork.wait(ms * MS)
      @mutex.synchronize do
        next if @waiting.empty?
        @waiting.shift.push(name, PlantedLocks.now)
        @condition.signal
      end
    end
  end

  LOCKS = {"Mutex" => NotedLock.new(Mutex.new), "Monitor" => NotedLock.new(Monitor.new),
           "Queue" => NotedQueue.new, "ConditionVariable" => NotedCondition.new}.freeze

  module_function

  # @param name [String] of the work
  # @return [Array(String, Integer), nil] who ended its wait, and after how many ns; nil where it waits not
  def call(name)
    lock, action, *ms = LockPlan::WORK.fetch(name)
    wait = LOCKS.fetch(lock).public_send(action, name, *ms)
    wait if LockPlan::WAITING.include?(name) && wait.last.positive?
  end

  # From outside of units: where there is no work left, or all of it is in another process, no one else would.
  # @return [void]
  def end_waits
    LOCKS.each_value { |lock| lock.give("") if lock.respond_to?(:give) }
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end
