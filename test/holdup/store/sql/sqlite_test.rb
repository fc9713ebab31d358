# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sqlite3"
require_relative "../../../support/query_plans"

# The file as it meets other processes, other users and a full or broken disk: real files, real locks.
class Holdup::Store::Sql::SqliteTest < Minitest::Test
  include AsNobody
  include QueryPlans
  include SampleMinutes
  include ExampleUnits
  include TemporaryFolder

  StoreError = Holdup::StoreError

  def test_only_the_user_may_read_the_store
    store.commit([minute], {})

    assert_equal 0o700, File.stat(File.dirname(path)).mode & 0o777
    assert_equal [0o600], Dir["#{path}*"].map { |file| File.stat(file).mode & 0o777 }.uniq
    assert_equal 3, Dir["#{path}*"].size
  end

  def test_it_is_set_up_for_one_writer_and_many_readers
    db = Holdup::Store::Sql::Sqlite.new(path).connect

    assert_equal ["wal", 1, 2, 16 << 20],
      %w[journal_mode synchronous auto_vacuum
        journal_size_limit].map { |name| db.fetch("PRAGMA #{name}").single_value }
  ensure
    db&.disconnect
  end

  # What a file may have of single units is limited by size: their sizes are read, newest first.
  def test_pruning_finds_what_is_old_by_an_index
    store.commit([minute], {})
    store.rollup(SampleMinutes::MINUTE_START + 86_400)
    found = plans(Holdup::Store::Sql::Sqlite.new(path)) { |one|
      assert_equal 1, one.prune(SampleMinutes::MINUTE_START + 3 * 86_400)
    }
    assert_operator found.keys.grep(/\ADELETE/).size, :>, 5
    sizes, others = scans(found).keys.partition { |sql| sql.match?(/\ASELECT `start_s`, \S*`bytes`/) }
    assert_equal [2, []], [sizes.size, others]
  end

  def test_a_locked_store_fails_in_time_and_recovers_by_itself
    store.commit([minute], {"s" => "1"})
    locking do
      error = assert_raises(StoreError::Locked) { store.commit([minute], {"s" => "2"}) }
      assert_match(/locked by another process/, error.message)
      assert_equal 1, units(store)
    end
    store.commit([minute], {"s" => "2"})

    assert_equal [2, {"s" => "2"}], [units(store), store.checkpoints]
  end

  def test_a_snapshot_stays_as_it_was_while_others_write
    store.commit([minute], {})
    reader = Holdup::Store.open(path, read_only: true)
    state = -> { [units(reader), reader.health[:series], reader.tiers] }
    before = state.call
    reader.snapshot do
      assert_equal before, state.call
      store.commit([minute(1, name: "New#index")], {})
      store.rollup(SampleMinutes::MINUTE_START + 86_400)
      assert_equal before, state.call
    end
    assert_equal [2, 2], state.call.first(2)
    refute_equal before.last, state.call.last
  ensure
    reader&.close
  end

  def test_other_threads_run_while_it_waits_for_a_lock
    store.commit([minute], {})
    turns = 0
    locking do
      counter = Thread.new { loop { (turns += 1) && Thread.pass } }
      assert_raises(StoreError::Locked) { store.commit([minute], {}) }
    ensure
      counter&.kill&.join
    end

    assert_operator turns, :>, 1_000
  end

  def test_a_full_store_writes_all_of_a_commit_or_nothing
    store.commit([minute], {"s" => "1"})
    store.close
    small = store(page_limit: 20)
    many = Array.new(200) { |i| minute(i, name: "C#{i}#index", values: [i * 1_000_000] * 3) }
    error = assert_raises(StoreError::Full) { small.commit(many, {"s" => "2"}) }

    assert_match(/free disk space/, error.message)
    assert_equal [1, {"s" => "1"}], [units(small), small.checkpoints]
    small.close
    store.commit(many, {"s" => "2"})
    assert_equal [601, {"s" => "2"}], [units(store), store.checkpoints]
  end

  def test_names_of_a_failed_commit_are_named_again
    locked = store(page_limit: 52)
    assert_raises(StoreError::Full) { locked.commit(Array.new(300) { |i| minute(i, name: "C#{i}") }, {}) }
    locked.commit([minute(name: "C299")], {})

    stored = locked.windows(0, SampleMinutes::MINUTE_START * 2)
    assert_equal(["C299"], stored.map { |window| window.series.name })
  end

  def test_something_else_is_left_untouched_and_named
    Dir.mkdir(File.dirname(path))
    File.write(path, "this is a letter to somebody\n" * 100)
    before = File.binread(path)
    error = assert_raises(StoreError::NotOurs) { store.commit([minute], {}) }

    assert_match(/is not a store of Holdup \(it is not a SQLite database\);/, error.message)
    assert_match(/move the file away/, error.message)
    assert_equal before, File.binread(path)
    File.rename(path, "#{path}.broken")
    store.commit([minute], {})
    assert_equal 1, units(store)
  end

  def test_a_database_of_something_else_is_left_untouched_and_named
    folder
    {
      "CREATE TABLE orders (id); INSERT INTO orders VALUES (7)" => /with the tables orders/,
      "CREATE TABLE windows (id)" => /with the tables windows/,
      "PRAGMA application_id = 77" => /by its application_id 77/
    }.each do |sql, message|
      made = File.join(folder, "#{sql.hash}.sqlite3")
      SQLite3::Database.new(made) { |db| db.execute_batch(sql) }
      before = File.binread(made)
      [false, true].each do |read_only|
        other = Holdup::Store.open(made, read_only:)
        error = assert_raises(StoreError::NotOurs) {
          read_only ? other.checkpoints : other.commit([minute],
            {})
        }
        assert_match(message, error.message)
      end
      assert_equal [before, [made]], [File.binread(made), Dir["#{made}*"]]
    end
  end

  def test_marks_a_new_store_and_one_that_has_lost_its_mark
    store.commit([minute], {})
    assert_equal 0x484C4450, application_id
    store.close
    SQLite3::Database.new(path) { |db| db.execute("PRAGMA application_id = 0") }
    assert_equal 1, units(reader)
    store.commit([minute], {})
    assert_equal [2, 0x484C4450], [units(reader), application_id]
  end

  def test_names_what_is_not_a_file
    Dir.mkdir(File.join(folder, "state"))
    File.write(File.join(folder, "state", "mine.sqlite3"), "")
    system("mkfifo", File.join(folder, "pipe"), exception: true)
    {
      "state" => %r{it is a folder\); name the file in it: --store \S+/state/mine.sqlite3},
      "pipe" => /it is not a regular file/,
      "no/such/x" => %r{the file and the folder \S+/no/such do not exist; the collector creates both ten}
    }.each { |name, message| assert_unreachable(message, name, read_only: true) }
    assert_unreachable(/it is a folder/, "state")
    assert_unreachable(/its path is not valid UTF-8/, "\xFF")
  end

  def assert_unreachable(message, name, **options)
    opened = Holdup::Store.open(File.join(folder, name), **options)
    assert_match(message, assert_raises(StoreError::Unreachable) { opened.checkpoints }.message)
  end

  def test_refuses_damaged_pages
    store.commit(Array.new(500) { |i| minute(i) }, {})
    store.close
    size = File.size(path)
    File.open(path, "r+b") { |file| (8192...size).step(4096) { |at| file.pwrite("\xAB" * 2048, at) } }

    assert_raises(StoreError::Corrupt) { units(store) }
  end

  def test_refuses_a_damaged_histogram
    store.commit([minute], {})
    SQLite3::Database.new(path) { |db| db.execute("UPDATE windows SET wall = x'01ff'") }

    assert_raises(StoreError::Corrupt) { units(store) }
  end

  # Nothing new is lost for it, and the roll-up goes on.
  def test_damaged_rows_are_replaced_by_what_comes_in_and_named
    store.commit([minute, minute(name: "B")], {}, unit_samples: [block([unit_sample])])
    SQLite3::Database.new(path) do |db|
      db.execute("UPDATE windows SET wall = x'01ff' WHERE series_id = 1")
      db.execute("UPDATE unit_samples SET packed = x'01ff'")
    end
    store.commit([minute, minute(name: "B")], {"s" => "1"}, unit_samples: [block([unit_sample(5)])])

    assert_equal({"OrdersController#index" => 1, "B" => 2},
      store.windows(0, SampleMinutes::MINUTE_START * 2).to_h { |window| [window.series.name, window.count] })
    samples = store.unit_samples(0, SampleMinutes::MINUTE_START * 2).to_a
    assert_equal 1, samples.size
    assert_in_delta 2.0, samples.sum(&:weight)
    assert_equal [[:stored, "unit samples"], [:stored, "OrdersController#index"]].sort,
      store.skipped_rows.map { |row| [row.kind, row.name] }.sort
  end

  def test_a_damaged_row_does_not_stop_the_roll_up
    store.commit([minute, minute(name: "B"), minute(1)], {})
    SQLite3::Database.new(path) do |db|
      db.execute("UPDATE windows SET wall = x'01ff' " \
        "WHERE series_id = 1 AND start_s = #{SampleMinutes::MINUTE_START}")
    end
    store.rollup(SampleMinutes::MINUTE_START + 86_400 * 3)

    assert_equal({"OrdersController#index" => 1, "B" => 1},
      store.windows(0, SampleMinutes::MINUTE_START * 2,
        seconds: 3600).to_h { |window| [window.series.name, window.count] })
    assert_equal ["OrdersController#index"], store.skipped_rows.map(&:name)
  end

  def test_a_file_that_was_removed_is_made_again
    store.commit([minute], {})
    Dir["#{path}*"].each { |file| File.delete(file) }
    store.commit([minute], {})

    assert_path_exists path
    assert_equal 1, units(store)
  end

  # Its latest commits are there alone; without its name no other process could read the store.
  def test_what_is_in_a_log_that_others_remove_is_not_lost
    [%w[-wal], %w[-shm], %w[-wal -shm]].each do |removed|
      file = File.join(folder, "without#{removed.join}.sqlite3")
      store, reader, fresh = [false, true, true].map { |read_only| Holdup::Store.open(file, read_only:) }
      store.commit([minute], {})
      once = units(reader)
      removed.each { |suffix| File.delete("#{file}#{suffix}") }
      store.commit([minute], {})
      [store, fresh, reader].each { |each| assert_equal 2 * once, units(each), removed }
      checked = SQLite3::Database.new(file) { |db| break db.get_first_value("PRAGMA integrity_check") }
      assert_equal "ok", checked
    ensure
      [store, reader, fresh].compact.each(&:close)
    end
  end

  def test_names_a_folder_that_can_not_be_made
    File.write(File.join(folder, "file"), "")
    bad = Holdup::Store::Sql.new(Holdup::Store::Sql::Sqlite.new(File.join(folder, "file", "a.sqlite3")))

    assert_match(/can't be opened/, assert_raises(StoreError::Unreachable) { bad.checkpoints }.message)
  end

  def test_a_user_without_the_right_to_write_gets_one_sentence
    share { File.chmod(0o755, folder, File.dirname(path)) }
    kind, message = as_nobody { refusal { store.commit([minute], {}) } }

    assert_equal StoreError::ReadOnly, kind
    assert_match(/read-only; make the file and its folder writable/, message)
  end

  def test_a_user_without_any_right_gets_one_sentence
    share { File.chmod(0o600, path) && File.chmod(0o700, File.dirname(path)) }

    kind, message = as_nobody { refusal { units(reader) } }
    assert_equal StoreError::Unreachable, kind
    assert_match(/this user may not look into the folder/, message)
    File.chmod(0o755, folder, File.dirname(path))
    assert_match(/this user may not read it/, as_nobody { refusal { units(reader) } }.last)
  end

  def test_a_read_only_file_can_be_read
    share { File.chmod(0o755, folder, File.dirname(path)) }

    assert_equal 1, as_nobody { units(reader) }
  end

  def test_a_reader_sees_what_is_committed_while_a_writer_writes
    store.commit([minute], {})
    locking { assert_equal 1, units(reader) }
    store.commit([minute], {})

    assert_equal 2, units(reader)
  end

  def test_a_reader_keeps_one_state_while_it_reads
    store.commit([minute(0), minute(1)], {})
    counts = reader.windows(0, SampleMinutes::MINUTE_START * 2).map do |window|
      store.commit([minute(0), minute(1)], {})
      window.count
    end

    assert_equal [1, 1], counts
  end

  def test_a_reader_makes_and_writes_nothing
    error = assert_raises(StoreError::Unreachable) { reader.checkpoints }
    assert_match(/do not exist; the collector creates both ten seconds/, error.message)
    assert_empty Dir["#{path}*"]
    store.commit([minute], {})

    assert_raises(StoreError::ReadOnly) { reader.commit([minute], {}) }
    assert reader.health[:read_only]
  end

  def test_a_writer_that_is_killed_leaves_windows_and_progress_together
    5.times { |round| kill_a_writer_after(round * 3 + 1) }

    assert_equal store.checkpoints.fetch("s").to_i, units(store)
    assert_operator units(store), :>, 5
  end

  def test_pruning_gives_the_space_back
    store.commit(Array.new(1_800) { |i| minute(i) }, {})
    store.rollup(SampleMinutes::MINUTE_START + 10 * 86_400)
    before = store.health[:bytes]
    store.prune(SampleMinutes::MINUTE_START + 10 * 86_400, max_bytes: 1 << 30)

    assert_operator store.health[:bytes], :<, before / 2
    store.close
    assert_operator File.size(path), :<, before / 2
  end

  private

  def application_id
    SQLite3::Database.new(path) { |db| return db.get_first_value("PRAGMA application_id") }
  end

  def path = File.join(folder, "state", "holdup.sqlite3")

  def store(**options)
    options.empty? ? @store ||= open_store(**options) : open_store(**options)
  end

  def reader = open_store(read_only: true)

  def open_store(**options)
    made = Holdup::Store::Sql.new(Holdup::Store::Sql::Sqlite.new(path, busy_s: 0.2, **options))
    (@made ||= []) << made
    made
  end

  def teardown
    @made&.each(&:close)
    super
  end

  def locking
    other = SQLite3::Database.new(path)
    other.execute("BEGIN IMMEDIATE")
    yield
  ensure
    other&.close
  end

  # A store that is complete in its one file, as it lies on a read-only disk.
  def share
    store.commit([minute], {})
    store.close
    @store = nil
    File.chmod(0o444, path)
    yield
  end

  def refusal
    yield
  rescue StoreError => error
    [error.class, error.message]
  end

  def kill_a_writer_after(commits)
    ready, signal = IO.pipe
    first = store.checkpoints["s"].to_i
    store.close
    pid = fork { write_for_ever(first, signal) }
    signal.close
    commits.times { ready.readline }
    Process.kill(:KILL, pid)
  ensure
    Process.wait(pid) if pid
    [ready, signal].each(&:close)
  end

  def write_for_ever(first, signal)
    mine = Holdup::Store::Sql.new(Holdup::Store::Sql::Sqlite.new(path, busy_s: 5))
    (first + 1..).each do |number|
      mine.commit([minute(number % 7)], {"s" => number.to_s})
      signal.puts(number)
    end
  end
end
