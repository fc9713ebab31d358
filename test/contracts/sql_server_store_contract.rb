# frozen_string_literal: true

require "contracts/server_store_contract"

# What a store in an SQL database behind a server promises beyond ServerStoreContract: locks and transactions.
# Include it and define what that needs (`server` responds to disconnect too), but instead of `store`
#
# - `dialect(url, **options)`
module SqlServerStoreContract
  include ServerStoreContract

  Sql = Holdup::Store::Sql

  def self.included(test) = ServerStoreContract.included(test)

  def test_of_two_collectors_one_rolls_up_or_prunes
    store = filled
    other = connection
    other.upkeep do
      other.write(alone: true) do
        assert_equal 0, store.rollup(MINUTE_START + DAY)
        assert_equal 0, store.prune(MINUTE_START + 3 * DAY)
      end
    end
    assert_operator store.rollup(MINUTE_START + DAY), :>, 0
    assert_operator store.prune(MINUTE_START + 3 * DAY), :>, 0
  end

  def test_a_snapshot_stays_as_it_was_while_others_write
    store = filled
    reader = open_store(read_only: true)
    before = state(reader)
    reader.snapshot do
      assert_equal before, state(reader)
      store.commit([minute(1, name: "New#index")], {})
      store.rollup(MINUTE_START + DAY)
      assert_equal before, state(reader)
    end
    assert_equal [2, 2], state(reader).first(2)
    refute_equal before.last, state(reader).last
  end

  # A minute that arrives during a step would be missing in the longer windows.
  def test_a_commit_waits_for_a_step_of_the_roll_up
    store = filled(lock_wait_s: 0.2)
    other = connection
    other.upkeep do
      other.write(alone: true) do
        assert_raises(StoreError::Locked) { store.commit([minute], {"a s" => "1"}) }
      end
    end
    store.commit([minute], {"a s" => "2"})
    assert_equal({"a s" => "2"}, store.checkpoints)
  end

  # A killed collector's last commit may still be on its way when the next one starts.
  def test_progress_is_read_after_an_unfinished_commit_of_that_host
    store = filled(lock_wait_s: 0.2)
    connection.write(locks: ["host a"]) do |db|
      db[:checkpoints].insert(segment: "a s", checkpoint: Sequel.blob("1"))
      assert_raises(StoreError::Locked) { store.checkpoints(host: "a") }
      assert_empty store.checkpoints(host: "b")
    end
    assert_equal({"a s" => "1"}, store.checkpoints(host: "a"))
  end

  def test_a_transaction_that_a_deadlock_ended_runs_again
    rows = %w[A B].map { |name| skipped(name) }
    open_store.commit([], {}, skipped: rows)
    queues = [Thread::Queue.new, Thread::Queue.new]
    threads = [%w[A B], %w[B A]].zip(queues, queues.reverse).map do |names, here, there|
      Thread.new { count_both(connection, names, here, there) }
    end
    assert(threads.all? { |thread| thread.join(PATIENCE_S) })
    assert_equal [3, 3], open_store.skipped_rows.map(&:count)
    assert_operator threads.sum(&:value), :>, 2, "the server ended one of them"
  end

  def test_a_lost_connection_takes_the_commit_back_and_the_next_one_works
    store = filled
    error = assert_raises(Errors::Unreachable) do
      store.commit([minute], {"a s" => "1"}, collector_checkpoint: Disconnecting.new(server))
    end
    assert_match(/can't be opened/, error.message)
    assert_equal [1, {}], [units(store), store.checkpoints(host: "a")]
    store.commit([minute], {"a s" => "1"})
    assert_equal [2, {"a s" => "1"}], [units(store), store.checkpoints(host: "a")]
  end

  # The statements of `holdup store --help`, as they are.
  def test_the_documented_privileges_are_enough_and_no_more
    owner, writer, reader = with_privileges
    open_store(owner).commit([minute], {})
    writing = open_store(writer)
    do_all_of_a_collector(writing)
    assert_equal 2, units(open_store(reader, read_only: true))
    sums = open_store(reader, read_only: true).sums(MINUTE_START, MINUTE_START + DAY)
    assert_equal 2, sums.sum { |sum| sum.window.count }
    assert_raises(Errors::Denied) { open_store(reader).commit([minute], {}) }
    assert_raises(Errors::Denied) { connection(writer).write { |db| db.drop_table(:windows) } }
    error = assert_raises(Errors::Denied) { connection(reader).write { |db| db[:windows].delete } }
    assert_match(/grant what `holdup store --help` shows/, error.message)
    assert_equal 2, units(writing)
  end

  # Ends the store's own connection while it commits.
  class Disconnecting < SimpleDelegator
    def initialize(server)
      super(Holdup::CollectorCheckpoint.new(host: "a", folder: "/", at_ns: 1, units: {}))
      @server = server
    end

    def at_ns
      @server.disconnect
      super
    end
  end

  private

  def store(url, **options) = Sql.new(dialect(url, **options))

  def state(store) = [units(store), store.health[:series], store.tiers]

  def connection(url = @url)
    Sql::Connection.new(dialect(url)).tap { |connection| @opened << connection }
  end

  # @return [Integer] how often it ran
  def count_both(connection, names, here, there)
    runs = 0
    connection.write do |db|
      add_one(db, names.first)
      there << :ready
      here.pop(timeout: PATIENCE_S) if (runs += 1) == 1
      add_one(db, names.last)
    end
    runs
  end

  def add_one(db, name)
    db[:skipped_rows].where(name:).update(count: Sequel[:count] + 1)
  end
end
