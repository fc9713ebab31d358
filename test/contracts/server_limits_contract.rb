# frozen_string_literal: true

require "holdup/loader"
require "support/free_ports"
require "support/sample_minutes"
require "support/wait_until"

# A SQL server that reached a limit, refuses, or ends what it began: the sentence says what it is and what to
# do, ends with the server's own words, and calls nothing damaged that is not. Include it and define
#
# - `server`, `new_url`, `dialect(url, **options)`
# - `tables_without_key`: names; `drop_key`: takes the key from the table of the version
module ServerLimitsContract
  include SampleMinutes
  include WaitUntil

  Sql = Holdup::Store::Sql
  StoreError = Holdup::StoreError
  Errors = Holdup::Store::ServerErrors

  def setup
    super
    @opened = []
    @url = new_url
    store(@url).migrate!
  end

  def teardown
    @opened&.each(&:close)
    super
  end

  # Servers that replicate may refuse to write to a table without one.
  def test_each_table_has_a_primary_key
    assert_empty tables_without_key
  end

  def test_a_store_whose_version_has_no_key_gets_one
    store(@url).commit([minute], {})
    drop_key
    refute_empty tables_without_key
    store(@url).migrate!
    assert_empty tables_without_key
    assert_equal 1, units(store(@url))
  end

  private

  def store(url, **options)
    Sql.new(dialect(url, **options)).tap { |store| @opened << store }
  end

  def connection(url, **options)
    Sql::Connection.new(dialect(url, **options)).tap { |connection| @opened << connection }
  end

  @@number = 0

  def next_number = @@number += 1

  # @yieldparam db [Sequel::Database] to run a statement that fails
  def assert_sentence(kind, words, message)
    error = assert_raises(StoreError, message) { connection(@url).use { |db| yield db } }
    assert_equal kind, error.kind, "#{message}: #{error.message}"
    assert_match(words, error.message)
    refute_match(/damaged|backup/, error.message, message) unless kind == :corrupt_server
  end

  def progress_behind_a_lock(url, **options)
    connection(@url).write(locks: ["host a"]) { store(url, **options).checkpoints(host: "a") }
  end

  # First it stays taken, then it becomes free.
  def assert_waits_for_a_connection(url, message)
    holder = connection(url).tap { |one| one.read { |db| db[:hosts].count } }
    error = assert_raises(Errors::NoConnection) { store(url).checkpoints }
    assert_match(message, error.message)
    refute_match(/damaged|backup/, error.message)
    waiter = Thread.new { store(url).checkpoints }
    wait_until { waiter.stop? }
    holder.close
    assert_empty waiter.value
  end
end
