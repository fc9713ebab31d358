# frozen_string_literal: true

require "test_helper"
require "pg"
require "support/calls_script"

# Transactions against a PostgreSQL server that says what they do: while they are open and run no statement,
# it is "idle in transaction". While other threads hold the GVL, most of a transaction's time is that.
class TransactionsIntegrationTest < Minitest::Test
  include CallsScript

  # Number of hogs => transactions.
  LEVELS = {0 => 12, 1 => 6, 3 => 3}.freeze
  WITHIN = 0.05
  # An edge between two looks is off by 3 ms (standard deviation), so all edges of a level by 20 ms. Where the
  # machine has other things to do, looks come later: then that is more, and it is measured again.
  EVERY_S = 0.01
  DEVIATIONS = 3
  MOST_RUNS = 3

  ACTIVE_RECORD = <<~RUBY
    require "active_record"
    require "holdup"
    ActiveRecord::Base.establish_connection(url: ENV["DATABASE_URL"], prepared_statements: false)
    CONNECTION = ActiveRecord::Base.lease_connection
    def run(sql) = CONNECTION.execute(sql)
    def transaction(&) = ActiveRecord::Base.transaction(&)
    def savepoint(&) = ActiveRecord::Base.transaction(requires_new: true, &)
  RUBY

  SEQUEL = <<~RUBY
    require "sequel"
    require "holdup"
    DB = Sequel.connect(ENV["DATABASE_URL"])
    def run(sql) = DB.run(sql)
    def transaction(&) = DB.transaction(&)
    def savepoint(&) = DB.transaction(savepoint: true, &)
  RUBY

  WORK = <<~RUBY
    run("CREATE TABLE accounts (id int, amount int)")
    run("INSERT INTO accounts VALUES (1, 0)")
    transaction { savepoint { run("SELECT 1") } } # loads what it needs
    Holdup.start
    #{LEVELS}.each do |hogs, count|
      run("SET application_name = 'hogs \#{hogs}'")
      stop = false
      threads = Array.new(hogs) { Thread.new { Math.sqrt(2) until stop } }
      count.times do
        Holdup.measure("hogs \#{hogs}") do
          transaction do
            run("UPDATE accounts SET amount = amount + 1")
            sleep 0.2
            savepoint { run("SELECT pg_sleep(0.05)") }
            100_000.times { Math.sqrt(2) }
          end
        end
      end
      stop = true
      threads.each(&:join)
    end
    Holdup.measure("rolled back") { transaction { [run("SELECT 1"), raise("no")] } rescue nil }
    Holdup.measure("without") { transaction { nil } }
    Holdup.stop
  RUBY

  # For how many seconds a session was idle in a transaction, and the variance of that: of the edges that lie
  # between two looks.
  Idle = Struct.new(:seconds, :variance) do
    def known? = DEVIATIONS * Math.sqrt(variance) <= seconds * WITHIN
  end
  # So long a statement of the server takes: between two looks that are further apart, one may come and go.
  STATEMENT_S = 0.05

  # Asks the server every 10 ms what the sessions do, until the block has ended.
  # @return [Hash{String => Idle}] by session
  def idle_in_transaction(url)
    idle = Hash.new { |all, name| all[name] = Idle.new(0.0, 0.0) }
    ended = false
    watching = Thread.new do
      session = PG.connect(url)
      before_s, before = now_s, []
      until ended
        sessions = session.exec("SELECT application_name FROM pg_stat_activity " \
          "WHERE state LIKE 'idle in transaction%'").column_values(0)
        at_s = now_s
        # Half of the time between two looks belongs to each of them.
        (before + sessions).each { |name| idle[name].seconds += (at_s - before_s) / 2 }
        unsure = before | sessions
        unsure -= before & sessions if at_s - before_s < STATEMENT_S
        unsure.each { |name| idle[name].variance += (at_s - before_s)**2 / 12 }
        before_s, before = at_s, sessions
        IO.select(nil, nil, nil, EVERY_S)
      end
      session.close
    end
    yield
    ended = true
    watching.join
    idle
  end

  def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def transactions
    collect
    store = Holdup::Store.open(environment["HOLDUP_STORE"])
    windows = store.windows(0, Time.now.to_i + 60).to_a
    kinds = %i[transaction transaction_call]
    Holdup::Analysis::UnitTransactions.all(windows.select { |window| kinds.include?(window.series.kind) },
      units: windows.select { |window| window.series.unit? }).to_h { |line| [line.name, line] }
  ensure
    store&.close
  end

  def assert_agrees(library)
    idle = nil
    MOST_RUNS.times do
      idle = idle_while_running(library)
      break if LEVELS.keys.all? { |hogs| idle["hogs #{hogs}"].known? }
    end
    found = transactions
    LEVELS.each do |hogs, count|
      assert_level(found.fetch("hogs #{hogs}"), count, idle["hogs #{hogs}"].seconds)
    end
    assert_operator found.fetch("hogs 3").stalled_ns, :>, found.fetch("hogs 3").open.sum / 2
    assert_equal [1, 1], [found["rolled back"].count, found["rolled back"].rolled_back]
    yield found
  end

  # With a new folder and a new server.
  def idle_while_running(library)
    FileUtils.remove_entry(@root)
    @root = Dir.mktmpdir
    PostgresServer.run do |postgres|
      idle_in_transaction(postgres.url) { script(library + WORK, DATABASE_URL: postgres.url) }
    end
  end

  def assert_level(line, count, idle_s)
    assert_equal [count, 0], [line.count, line.rolled_back], line.name
    assert_in_delta idle_s, (line.open.sum - line.database_ns) / 1e9, idle_s * WITHIN, line.name
    assert_operator line.other_waits_ns, :>=, count * 200_000_000
    assert_operator line.database_ns, :>=, count * 50_000_000
  end

  # BEGIN is not sent before there is a statement.
  def test_active_record_agrees_with_the_server
    assert_agrees(ACTIVE_RECORD) { |found| refute_includes found, "without" }
  end

  def test_sequel_agrees_with_the_server
    assert_agrees(SEQUEL) { |found| assert_equal 1, found["without"].count }
  end
end
