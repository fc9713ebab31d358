# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/loader"

# Rails with more threads than connections, on a real database; and Active Record's pool by itself, where
# nothing hides which thread waits for what.
class ConnectionPoolIntegrationTest < Minitest::Test
  include CommandLine

  REPORTS = "ReportsController#show"
  BOOKS = "BooksController#index"
  CLIENTS = {"/reports" => 2, "/books" => 4}.freeze
  ROUNDS = 6

  BY_EXEC = {WITH_HOLDUP: nil,
             RUBYOPT: "-r#{File.join(ServedApp::ROOT, "lib/holdup/agent/exec_boot")}"}.freeze

  def serve(**env, &)
    env = {RAILS_ENV: "production", WITH_HOLDUP: "1", **env}.transform_keys(&:to_s)
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "database", env:, &)
  end

  # Each client asks again as soon as it has its answer.
  def load(app, clients = CLIENTS, rounds = ROUNDS)
    threads = clients.flat_map do |path, count|
      Array.new(count) { Thread.new { Array.new(rounds) { app.get(path).code } } }
    end
    threads.flat_map(&:value)
  end

  # Leases are looked at from the pool's first wait on.
  def contend(app)
    app.wait { load(app, CLIENTS, 1) && app.unit(BOOKS).named_sums[:pool_wait_ns].positive? }
  end

  def collect(app)
    said = holdup("collect", "--once", "--dir", app.dir, "--store", app.store, now_s: Time.now.to_i)
    assert_equal 0, said.status, said.err
  end

  def summary(app)
    app.wait { collect(app) && app.snapshots.empty? }
    store = Holdup::Store.open(app.store)
    now = Time.now.to_i
    Holdup::Analysis::Summary.new(store.windows(now - 600, now + 120), from_s: now - 600, to_s: now + 120,
      samples: store.processes(now - 600, now + 120))
  ensure
    store&.close
  end

  # Reports so long that they, and not a slow machine, are what most of the time goes to.
  def test_the_report_names_who_keeps_the_connections
    serve(REPORT_SECONDS: "0.5") do |app|
      CLIENTS.each_key { |path| app.get(path) } # the first ones load code
      contend(app)
      assert_equal ["200", "204"], load(app).uniq.sort
      assert_shown(app)
      app.stop
      summary = summary(app)
      rows = summary.rows.to_h { |row| [row.name, row] }
      assert_waits(rows)
      assert_kept(summary, rows)
      assert_said(summary)
    end
  end

  # The report lists the pool with the server's, by name and size.
  def assert_shown(app)
    entry = app.live.first
    assert_equal ["web", "db primary"], entry.read(&:profile).values_at("pool.0", "pool.1")
    assert_equal [2, 2], [entry.read(&:header).pools[1][:max], entry.read(&:snapshot).setting["db_pool"]]
  end

  # A wait is sleep (and, when it is over, stall, and perhaps no CPU), so it can't be more; and what books
  # wait for is the pool, hardly anything else.
  def assert_waits(rows)
    waited, parked, late = rows.values_at(REPORTS,
      BOOKS).map { |row|
      [row.sum(:pool_wait_ns), row.sum(:sleep_ns) + row.sum(:lock_ns),
        row.stalled_ns + row.sum(:starved_ns)]
    }.transpose
    waited.each_with_index { |wait, index| assert_operator wait, :<=, (parked[index] + late[index]) * 1.05 }
    assert_operator waited.last, :>, parked.last * 0.8
    assert_operator waited.last, :>, 500_000_000 # as long as one report keeps one, at the least
  end

  # A report sleeps 0.5 s with its connection; and those before the first wait may be missing.
  def assert_kept(summary, rows)
    assert_operator rows[REPORTS].sum(:pool_held_ns), :>=, CLIENTS["/reports"] * ROUNDS * 500_000_000
    assert_operator rows[REPORTS].sum(:pool_held_ns), :<=,
      rows[REPORTS].wall_ns - rows[REPORTS].sum(:pool_wait_ns)
    assert_equal REPORTS, summary.connections.holder.name
    assert_operator summary.connections.held_share(rows[REPORTS]), :>, 0.8
  end

  def assert_said(summary)
    text = Holdup::View::Text.new(Holdup::Report::FullReport.new(summary).page).call
    assert_includes text.split.join(" "),
      "waiting for a database connection. The pool has 2, and #{REPORTS} kept them for"
    assert_match(/^Database connections/, text)
  end

  def test_a_wait_in_vain_in_workers_of_an_application_that_does_not_know_us
    serve(WORKERS: "2", CHECKOUT_TIMEOUT: "0.02", **BY_EXEC) do |app|
      codes = load(app, "/reports" => 6)
      assert_includes codes, "500"
      app.stop
      summary = summary(app)
      row = summary.rows.find { |each| each.name == REPORTS }
      assert_equal codes.count("500"), row.errors
      assert_operator row.sum(:pool_wait_ns), :>=, row.errors * 20_000_000
      assert_equal "2", summary.connections.size
    end
  end

  SCRIPT = <<~RUBY
    require "active_record"
    require "tmpdir"
    require "holdup"
    require "holdup/segment/directory"
    database = File.join(ENV.fetch("HOLDUP_DIR"), "..", "db.sqlite3")
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database:, pool: 2)
    POOL = ActiveRecord::Base.connection_pool
    Holdup.start
    def contended # somebody has waited
      connections = Array.new(2) { POOL.checkout }
      POOL.checkout(0.001) rescue 0
      connections.each { |connection| POOL.checkin(connection) }
    end
    def units(name)
      Holdup.stop
      entries = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries
      slots = entries.flat_map { |entry| entry.read(&:snapshot).slots.compact }
      slots.select { |slot| slot.series.name == name }.map do |slot|
        Holdup::Segment::Layout::SUMS.zip(slot.sums).to_h.merge(count: slot.count)
      end
    end
  RUBY

  def script(text)
    Dir.mktmpdir do |root|
      env = {"HOLDUP_DIR" => File.join(root, "segments"), "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
      load_path = "$LOAD_PATH.unshift(#{Collecting::LIB.dump})\n"
      JSON.parse(fresh_ruby(SCRIPT + text, env:, prelude: load_path, gems: true)) # it prints an array
    end
  end

  def test_does_not_count_connecting_as_a_wait
    wait, slept = script(<<~RUBY)
      slow = Module.new { def initialize(...) = sleep(0.05).then { super(...) } }
      ActiveRecord::ConnectionAdapters::SQLite3Adapter.prepend(slow)
      Holdup.measure("first") { POOL.with_connection { |connection| connection.select_value("SELECT 1") } }
      p units("first").first.values_at(:pool_wait_ns, :sleep_ns)
    RUBY
    assert_equal 0, wait
    assert_operator slept, :>=, 50_000_000
  end

  def test_what_a_unit_never_gives_back_counts_to_its_end
    held, slept, wall = script(<<~RUBY)
      contended
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      Holdup.measure("keeps") { POOL.lease_connection; sleep 0.05 }
      wall = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - from
      sleep 0.1
      POOL.release_connection
      p units("keeps").first.values_at(:pool_held_ns, :sleep_ns) << wall
    RUBY
    assert_includes slept..wall, held
  end

  def test_queries_of_other_threads_wait_for_themselves
    wait, held, kept = script(<<~RUBY)
      ActiveRecord.async_query_executor = :global_thread_pool
      kept = Array.new(2) { POOL.checkout }
      Holdup.measure("asks") do
        asks = Thread.new { POOL.with_connection { } }
        sleep 0.01 until POOL.num_waiting_in_queue == 1
        POOL.checkin(kept.pop)
        asks.join
      end
      entry = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries.first
      kept = Holdup.stop || entry.read { |reader| reader.header.gauges }
      p units("asks").first.values_at(:pool_wait_ns, :pool_held_ns) + [kept[:connections_kept_ns]]
    RUBY
    assert_equal [0, 0], [wait, held]
    assert_operator kept, :>, 0
  end

  def test_a_child_has_pools_and_waits_of_its_own
    failures, wait = script(<<~RUBY)
      Holdup.measure("warm") { POOL.with_connection { } }
      reader, writer = IO.pipe
      Process.wait(fork do
        pool = ActiveRecord::Base.connection_pool
        kept = Array.new(2) { pool.checkout }
        Thread.new do
          sleep 0.01 until pool.num_waiting_in_queue == 1
          sleep 0.05
          kept.each { |connection| connection.steal!; pool.checkin(connection) }
        end
        Holdup.measure("child") { pool.with_connection { } }
        writer.puts Holdup.runtime.guard.failures.size, units("child").first[:pool_wait_ns]
        exit!
      end)
      p [reader.gets.to_i, reader.gets.to_i]
    RUBY
    assert_equal 0, failures
    assert_operator wait, :>, 10_000_000
  end
end
