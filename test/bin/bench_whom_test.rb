# frozen_string_literal: true

require "test_helper"
require "json"
require_relative "../../benchmark/support/callgrind"
require_relative "../../benchmark/support/whom/pair_shares"
require_relative "../../benchmark/support/whom/planted_locks"
require_relative "../../benchmark/support/whom/truth"

# What planted work knows of its own waits, how far shares are from that, and what callgrind says of
# functions.
class BenchWhomTest < Minitest::Test
  include Bench::PairShares
  include TemporaryFolder

  def truth(*notes) = Bench::PlantedTruth.new(notes.map { |note| JSON.generate(note) })

  def test_a_wait_for_the_gvl_is_charged_to_holds_of_the_same_process
    holder = {name: "report", holds: [[0, 10], [30, 60]], waits: []}
    found = truth({pid: 1, **holder}, {pid: 2, **holder},
      {pid: 1, name: "stock", holds: [[60, 61]], waits: [[5, 40], [50, 60]]}).pairs
    assert_equal({["stock", "report"] => 5 + 10 + 10}, found)
  end

  def test_a_wait_for_a_connection_is_split_in_proportion
    found = truth({pid: 1, name: "refill", pool: 1, lease: [0, 0, 30, 31]},
      {pid: 1, name: "lookup", pool: 1, lease: [0, 30, 40, 45]},
      {pid: 1, name: "browse", pool: 5, lease: [0, 0, 40, 40]},
      {pid: 1, name: "last", pool: 1, lease: [20, 50, 60, 60]}).pool_pairs(2)
    expected = {["lookup", "refill"] => 30.0, ["last", "refill"] => 15.0, ["last", "lookup"] => 15.0}
    assert_equal expected, found
  end

  def test_transactions_have_bounds
    found = truth({pid: 1, name: "checkout", open: [5, 7]}, {pid: 2, name: "checkout", open: [1, 2]},
      {pid: 1, name: "orders"})
    assert_equal [6, 9], found.open_ns
    assert_equal 3, found.size
  end

  def test_a_wait_for_a_lock_is_charged_to_who_ended_it
    found = truth({pid: 1, name: "edit", lock: ["publish", 30]}, {pid: 1, name: "edit", lock: ["edit", 5]},
      {pid: 2, name: "edit", lock: ["publish", 12]}, {pid: 1, name: "pick", lock: nil})
    assert_equal({["edit", "publish"] => 42, ["edit", "edit"] => 5}, found.lock_pairs)
    assert_equal 3, found.lock_waits
  end

  def test_the_next_one_at_a_lock_knows_who_left_it
    mutex = Mutex.new
    lock = PlantedLocks::NotedLock.new(mutex)
    ender, = wait_until { [next_at(lock, mutex)].find { |_, ns| ns.positive? } }
    assert_equal "publish", ender
  end

  def test_who_takes_from_a_queue_or_waits_at_a_condition_knows_who_gave
    [PlantedLocks::NotedQueue, PlantedLocks::NotedCondition].each do |kind|
      lock = kind.new
      lock.give("early") # to none
      waiter = Thread.new { lock.take("pack") }
      wait_until { waiter.stop? }
      lock.give("buy")
      ender, ns = waiter.value
      assert_equal "buy", ender
      assert_operator ns, :>, 0
    end
  end

  def test_only_those_that_take_or_keep_wait
    assert_nil PlantedLocks.call("pick")
    assert_nil PlantedLocks.call("refresh"), "no other one has the lock"
  end

  def test_shares_are_off_by_the_furthest_point
    names = %w[edit publish]
    known = {["edit", "edit"] => 250_000_000, ["edit", "publish"] => 750_000_000, ["publish", "edit"] => 5}
    assert_in_delta 5.0, furthest([known], {["edit", "edit"] => 3, ["edit", "publish"] => 7}, names)
    assert_in_delta 0.0, furthest([known], {["edit", "edit"] => 1, ["edit", "publish"] => 3}, names)
  end

  def test_a_known_wait_of_which_nothing_was_measured_is_off_by_all
    assert_in_delta 100.0, furthest([{["edit", "edit"] => 250_000_000}], {}, %w[edit])
  end

  # A name is written once, with its number.
  def test_calls_of_a_function_are_summed_over_all_callers
    path = File.join(folder, "1")
    File.write(path, <<~CALLGRIND)
      fn=(1) main
      3 10
      cfn=(2) pair_charge
      calls=2 40
      4 30
      fn=(3) other
      cfn=(2)
      calls=1 40
      5 12
      totals: 60
    CALLGRIND
    cost = Bench::Callgrind::FunctionCosts.new(path).to_h.fetch("pair_charge")
    assert_equal [3, 42], [cost.calls, cost.instructions]
    assert_in_delta 14.0, cost.each
  end

  private

  # For much longer than until the next look of `wait_until`.
  KEPT_MS = 200

  # @return [Array(String, Integer)] who ended its wait, and after how many ns
  def next_at(lock, mutex)
    owner = Thread.new { lock.keep("publish", KEPT_MS) }
    wait_until { mutex.locked? || !owner.alive? }
    lock.keep("edit", 0)
  ensure
    owner.join
  end
end
