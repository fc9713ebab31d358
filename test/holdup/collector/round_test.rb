# frozen_string_literal: true

require "test_helper"
require "delegate"
require "tmpdir"
require "holdup/loader"

class Holdup::Collector
  class RoundTest < Minitest::Test
    NS = 1_000_000_000
    DEAD_PID = 4_194_999 # above what Linux gives out

    def setup
      @dir = Dir.mktmpdir("holdup-round")
      @store = Holdup::Store.open("memory:")
      @log = CollectedLog.new
      @now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      @round = new_round
    end

    def teardown
      FileUtils.rm_rf(@dir)
    end

    def test_processes_are_merged_and_each_has_its_own_window
      writers = [0, 1].map { |worker| SegmentWriter.new(@dir, worker:, suffix: "-#{worker + 1}") }
      writers.each { |writer| writer.record("A#b", wall: 5_000_000, cpu_ns: 7) }
      writers.first.record("J", kind: :job, queue: "low", wall: 9_000, error: true)
      run_round
      assert_equal 2, window("A#b").count
      assert_equal Holdup::Histogram.of([5_000_000] * 2), window("A#b").histograms[:wall]
      assert_equal [[1, 1], ["low"]],
        [[window("J").count, window("J").errors], windows.filter_map { |one| one.series.queue }]
      assert_equal [2, 1], ["worker 0", "worker 1"].map { |name| window(name).count }
      assert_equal [60, 0], [window("A#b").seconds, window("A#b").start_s % 60]
    end

    def test_counts_jobs_once_more_by_pool_and_by_priority
      writer = SegmentWriter.new(@dir)
      [["A", "default", "1"], ["A", "default", "5"], ["B", "default", "5"],
        ["B", nil, nil]].each do |name, pool, priority|
        writer.record(name, kind: :job, queue: "low", pool:, priority:, wall: 9_000, queued: 7)
      end
      run_round
      counts = windows.to_h { |one| [[one.series.kind, one.series.name], one.count] }
      counts.reject! { |(kind, _), _| kind == :process }
      expected = {[:job, "A"] => 2, [:job, "B"] => 2, [:pool, "default"] => 3, [:priority, "1"] => 1,
                  [:priority, "5"] => 2}
      assert_equal expected, counts
      assert_equal [["low"], [nil]],
        [windows.filter_map { |one| one.series.queue }.uniq, windows.map { |one| one.series.pool }.uniq]
    end

    def test_only_what_was_added_is_counted_in_the_next_round
      writer = SegmentWriter.new(@dir)
      3.times { writer.record("A#b", wall: 5_000) }
      run_round
      2.times { writer.record("A#b", wall: 9_000) }
      run_round
      run_round
      assert_equal Holdup::Histogram.of([5_000] * 3 + [9_000] * 2), total("A#b").histograms[:wall]
    end

    def test_accounts_handoff_and_nested_keep_the_books_balanced
      writer = SegmentWriter.new(@dir)
      writer.record("A#b", wall: 100, running: 60, stalled: 40, caused_ns: 25)
      writer.record("B#c", wall: 50, running: 50, caused_ns: 10)
      writer.nested(wall: 50, running: 50, caused_ns: 10)
      writer.account("main", caused: 5, stalled: 0, running: 30)
      writer.counter(:handoff_ns, 10)
      run_round
      assert_equal [10, 5, 10], ["(handoff)", "main", "(nested)"].map { |name| window(name).sums[:caused_ns] }
      assert_equal 40, 25 + 10 - 10 + 5 + 10
      process = windows.find { |one| one.series.kind == :process }
      assert_equal [25, 100, 60],
        [process.sums[:caused_ns], process.histograms[:wall].sum, process.histograms[:running].sum]
    end

    # Of two processes the path that is read last; then none is read again.
    def test_stores_a_path_of_each_series_once
      first, second = [0, 1].map { |worker| SegmentWriter.new(@dir, worker:, suffix: "-#{worker + 1}") }
      first.record("A#b")
      run_round
      assert_empty @store.paths
      [first, second].zip(%w[/orders/7 /orders/8]) do |writer, path|
        writer.record("A#b", path:)
        run_round
        assert_equal({"A#b" => path}, @store.paths.transform_keys(&:name))
      end
      first.record("A#b")
      run_round
      assert_equal ["/orders/8"], @store.paths.values
    end

    def test_settings_are_kept_apart
      %w[3.3 3.4].each_with_index do |ruby, index|
        writer = SegmentWriter.new(@dir, suffix: "-#{index + 1}")
        writer.setting = %({"ruby":"#{ruby}"})
        writer.record("A#b", wall: 5_000)
      end
      run_round
      assert_equal %w[3.3 3.4],
        windows.select { |one| one.series.name == "A#b" }.map { |one| one.setting["ruby"] }.sort
    end

    def test_a_dead_process_is_finished_and_its_file_removed
      writer = dead_writer
      assert_raises(SegmentWriter::Died) { writer.record("A#b", wall: 5_000, die_after: 5) }
      run_round
      assert_equal 1, total("A#b").count
      refute_path_exists writer.path
      assert_equal 1, checkpoints.size
      run_round
      assert_empty checkpoints
      assert_equal 1, total("A#b").count
    end

    def test_a_file_that_was_to_be_removed_is_not_counted_again
      writer = dead_writer
      writer.record("A#b", wall: 5_000)
      copy = File.binread(writer.path)
      run_round
      File.binwrite(writer.path, copy) # as if the collector had died before it removed it
      @round = new_round
      run_round
      assert_equal 1, total("A#b").count
      refute_path_exists writer.path
    end

    def test_another_file_under_the_same_name_is_another_segment
      writer = dead_writer
      writer.record("A#b", wall: 5_000)
      run_round
      dead_writer(now_ns: @now_ns - 60 * NS + 1).record("A#b", wall: 5_000)
      run_round
      assert_equal 2, total("A#b").count
    end

    # The collector may die after the commit and before it has removed the file.
    def test_a_death_is_stored_once_with_the_last_counts
      writer = killed_writer
      writer.record("A#b", wall: 5_000)
      writer.open_unit(0, "B#c", started_ns: @now_ns - 62 * NS)
      copy = File.binread(writer.path)
      run_round
      assert_equal [%w[B#c]], deaths.map { |death| death.units.map { |unit| unit[:name] } }
      assert_equal ["A#b"], deaths.first.ended.map { |unit| unit[:name] }
      assert_equal 1, total("A#b").count
      File.binwrite(writer.path, copy)
      @round = new_round
      run_round
      run_round
      assert_equal 1, deaths.size
    end

    # Its master reaps it after the round that finds it dead.
    def test_a_dead_worker_is_finished_when_its_master_has_said_how_it_died
      writer = killed_writer(worker: 1)
      writer.setting = '{"server":"unicorn"}'
      writer.record("A#b", wall: 5_000)
      writer.pools = [[1, 0, 0]]
      writer.heartbeat(@now_ns - NS)
      run_round
      assert_equal [1, []], [total("A#b").count, deaths]
      Holdup::ExitNote::ExitFiles.new(@dir).add(Holdup::ExitNote.new(DEAD_PID, @now_ns, :signal, 9))
      run_round(NS)
      assert_equal [[:signal, 9]], deaths.map { |death| [death.reason, death.status] }
      assert_equal 1, total("A#b").count
      assert_empty Dir.glob("#{@dir}/*.{segment,exit}")
    end

    def test_a_commit_that_failed_loses_no_death
      killed_writer.open_unit(0, "B#c")
      failing = new_round(store: FailingStore.new(@store))
      assert_raises(Holdup::StoreError) { failing.run(@now_ns) }
      run_round
      assert_equal 1, deaths.size
    end

    def test_a_unit_that_a_killed_process_had_ended_is_counted_and_not_in_flight
      writer = killed_writer
      writer.open_unit(0, "A#b")
      writer.open_unit(1, "B#c")
      assert_raises(SegmentWriter::Died) { writer.record("A#b", wall: 5_000, ends: 0, die_after: 5) }
      run_round
      assert_equal [1, %w[B#c]], [total("A#b").count, deaths.first.units.map { |unit| unit[:name] }]
    end

    def test_the_store_has_what_runs_for_long_until_it_has_ended
      writer = living_writer(@dir)
      writer.open_unit(0, "A#b", started_ns: @now_ns - 20 * NS)
      writer.open_unit(1, "B#c", started_ns: @now_ns - NS)
      run_round
      assert_equal [%w[A#b]], last_round.map { |lost| lost.units.map { |unit| unit[:name] } }
      writer.record("A#b", wall: 5_000, ends: 0)
      run_round(NS)
      assert_empty last_round
      assert_empty deaths
    end

    def test_a_collector_that_ends_by_itself_loses_no_process
      living_writer(@dir).open_unit(0, "A#b", started_ns: @now_ns - 20 * NS)
      run_round
      @round.run(@now_ns + NS, last: true)
      assert_empty last_round
    end

    # Its container is gone, with its memory.
    def test_the_collector_of_another_host_finds_what_was_lost
      living_writer(@dir).open_unit(0, "A#b", started_ns: @now_ns - 20 * NS)
      run_round
      lost_to_another_host
      assert_equal [["h", :lost, %w[A#b]]],
        deaths.map { |death| [death.host, death.reason, death.units.map { |unit| unit[:name] }] }
    end

    # Its host could not reach the store for a while.
    def test_a_process_that_was_taken_for_lost_returns_with_its_collector
      living_writer(@dir).open_unit(0, "A#b", started_ns: @now_ns - 20 * NS)
      run_round
      lost = lost_to_another_host
      assert_equal %i[lost], deaths.map(&:reason)
      run_round(540 * NS)
      assert_empty deaths
      @store.commit([], {}, deaths: lost)
      run_round(570 * NS)
      run_round(601 * NS)
      assert_empty deaths, "the other host wrote it late"
    end

    def test_a_lost_process_that_died_has_the_autopsy_of_its_own_collector
      writer = killed_writer
      writer.open_unit(0, "A#b")
      id = Holdup::Segment::Directory.new(@dir).take_over.id
      lost = Holdup::Autopsy.new(source: "#{id}/x:5:lost", host: "h", pid: DEAD_PID, name: "worker 0",
        setting: "s", since_ns: 1, alive_ns: @now_ns, gone_ns: @now_ns, reason: :lost)
      of_another = lost.with(source: "0123456789abcdef/x:5:lost", pid: 7)
      @store.commit([], {}, deaths: [lost, of_another])
      run_round
      assert_equal [[7, :lost], [DEAD_PID, :gone]], deaths.map { |one| [one.pid, one.reason] }.sort
    end

    def test_a_process_that_closed_its_segment_did_not_die
      writer = killed_writer
      writer.pools = [[5, 0, 0]]
      writer.open_unit(0, "A#b")
      writer.close
      run_round
      refute_path_exists writer.path
      assert_empty deaths
    end

    # It finishes its requests, and closes its segment.
    def test_a_process_that_a_worker_killer_ended_died
      writer = killed_writer(worker: 1)
      writer.record("A#b", wall: 5_000)
      writer.close
      Holdup::ExitNote::ExitFiles.new(@dir).add(Holdup::ExitNote.new(DEAD_PID, @now_ns - NS, :killer, nil))
      run_round
      run_round
      assert_equal [[:killer, [], %w[A#b]]],
        deaths.map { |death| [death.reason, death.units, death.ended.map { |unit| unit[:name] }] }
      assert_equal 1, total("A#b").count
      assert_empty Dir.glob("#{@dir}/*.{segment,exit}")
    end

    def test_a_process_that_is_silent_for_long_may_still_live
      writer = SegmentWriter.new(@dir, pid: DEAD_PID, start: 7, now_ns: @now_ns, namespace: 1)
      writer.open_unit(0, "A#b")
      run_round(16 * NS)
      refute_path_exists writer.path
      assert_empty deaths
    end

    def test_one_that_ticks_where_we_can_not_see_it_is_kept
      writer = dead_writer(now_ns: @now_ns)
      writer.record("A#b", wall: 5_000)
      run_round
      assert_path_exists writer.path
      writer.record("A#b", wall: 5_000)
      run_round(16 * NS)
      refute_path_exists writer.path
      assert_equal 2, total("A#b").count
    end

    def test_a_segment_that_was_closed_is_removed_at_once
      writer = SegmentWriter.new(@dir)
      writer.record("A#b", wall: 5_000)
      writer.close
      run_round
      refute_path_exists writer.path
      assert_equal 1, total("A#b").count
    end

    def test_units_go_to_the_minute_in_the_middle
      minute_ns = (@now_ns / (60 * NS) + 10) * 60 * NS
      writer = SegmentWriter.new(@dir, now_ns: minute_ns - 20 * NS)
      writer.record("A#b", wall: 5_000)
      @round.run(minute_ns + 5 * NS)
      writer.record("A#b", wall: 5_000)
      @round.run(minute_ns + 15 * NS)
      assert_equal [minute_ns / NS - 60, minute_ns / NS],
        windows.select { |one| one.series.name == "A#b" }.map(&:start_s)
    end

    def test_bad_files_are_logged_once_and_stop_no_other_file
      File.write(File.join(@dir, "1-1.segment"), "x" * 9_000)
      File.write(File.join(@dir, "#{DEAD_PID}-2.segment"), "")
      writer = SegmentWriter.new(@dir)
      writer.record("A#b", wall: 5_000)
      2.times { run_round }
      assert_equal 1, total("A#b").count
      assert_equal 2, @log.lines.size
      assert_path_exists File.join(@dir, "1-1.segment")
    end

    # Of a process that ended before the collector saw it.
    def test_memory_that_is_lost_is_logged_for_one_of_many_processes
      3.times { |n| File.symlink("/proc/#{DEAD_PID}/fd/9", File.join(@dir, "#{DEAD_PID}-#{n}.segment")) }
      2.times { run_round }
      assert_equal 1, @log.lines.size
      assert_match(/ended before the collector saw it/, @log.lines.first)
    end

    def test_counters_that_go_back_are_not_believed
      writer = SegmentWriter.new(@dir)
      3.times { writer.record("A#b", wall: 5_000) }
      run_round
      writer.put_word(writer.slot_offset(0) + Holdup::Segment::Layout::COUNT_OFFSET, 2)
      run_round
      assert_match(/a counter went back/, @log.lines.join)
      assert_equal 3, total("A#b").count
    end

    def test_a_file_of_another_process_is_refused
      writer = SegmentWriter.new(@dir)
      File.rename(writer.path, File.join(@dir, "1-1.segment"))
      run_round
      assert_match(/its name says process 1/, @log.lines.join)
    end

    def test_nothing_is_taken_when_the_store_fails
      writer = dead_writer
      writer.record("A#b", wall: 5_000)
      broken = new_round(store: FailingStore.new(@store))
      assert_raises(Holdup::StoreError::Locked) { broken.run(@now_ns) }
      assert_path_exists writer.path
      run_round
      assert_equal 1, total("A#b").count
    end

    # A database that ends its first transaction, and the rows of the second are the same.
    class RunningTwice < SimpleDelegator
      def commit(windows, checkpoints, **rows, &bad_row)
        raise Holdup::StoreError::BadRow.new(location: "x", reason: "too long") unless bad_row
        skipped = Array.new(2) { windows.map { |window| bad_row.call(window, RuntimeError.new("no")) } }
        super([], checkpoints, **rows, skipped: skipped.last)
      end
    end

    def test_keeps_what_ended_since_the_round_before_for_an_hour
      writer = SegmentWriter.new(@dir)
      writer.record("A#b", wall: 5_000)
      run_round
      assert_empty recent, "it is unknown since when it counts"
      2.times { writer.record("A#b", wall: 9_000) }
      run_round(10 * NS)
      found, = recent
      assert_equal ["h", 10_000, 2], [found.host, found.length_ms, found.total.count]
      walls = found.series.to_h { |one| [one.series.name, one.histograms[:wall]] }
      assert_equal ["A#b"], walls.keys
      assert_equal [2, 18_000], [walls["A#b"].count, walls["A#b"].sum]
      assert_equal [10 * NS], found.held.values.map(&:covered_ns)
    end

    # The ring has a gap then, which is no fault of what was measured.
    def test_what_is_kept_for_an_hour_never_stops_a_round
      writer = SegmentWriter.new(@dir)
      rejecting = Class.new(SimpleDelegator) do
        def commit(*, recent: nil, **rest, &bad_row)
          raise Holdup::StoreError::BadRow.new(location: "x", reason: "too long") if recent
          super(*, **rest, &bad_row)
        end
      end
      round = new_round(store: rejecting.new(@store))
      [0, 10 * NS].each do |later_ns|
        writer.record("A#b", wall: 5_000)
        round.run(@now_ns + later_ns)
      end
      assert_equal 2, total("A#b").count
      assert_empty recent
    end

    def test_a_row_that_is_left_out_is_said_once_where_the_store_runs_again
      dead_writer.record("A#b", wall: 5_000)
      new_round(store: RunningTwice.new(@store)).run(@now_ns)
      assert_match(/\A2 of what was measured/, @log.lines.join, "the windows of A#b and of its process")
    end

    def test_processes_are_sampled_once_a_minute
      writer = SegmentWriter.new(@dir, worker: 2)
      writer.gauge(:backlog, 4)
      writer.counter(:discarded, 3)
      [0, 10 * NS, 61 * NS].each { |later_ns| run_round(later_ns) }
      samples = processes
      assert_equal 2, samples.size
      assert_equal ["worker 2", 4, 3, "h"], samples.first.values_at(:name, :backlog, :discarded, :host)
      assert_operator samples.first[:rss_bytes], :>, 1_000_000
    end

    # Of our own process table we know at once that a process is dead; of another container's only by its
    # silence.
    def test_a_dead_process_of_our_own_process_table_is_finished_at_once
      ours, another = [Holdup::Segment::OwnerProcess.new.namespace, 1].map.with_index do |namespace, index|
        writer = SegmentWriter.new(@dir, pid: 4_000_000 + index, start: 7, now_ns: @now_ns, namespace:)
        writer.record("A#b", wall: 5_000_000)
        writer
      end
      run_round
      assert_equal [false, true], [ours, another].map { |writer| File.exist?(writer.path) }
      run_round(16 * NS)
      refute_path_exists another.path
      assert_equal 2, total("A#b").count
    end

    # Without a lock it is only supposed to be dead. Should it live, it makes its file again.
    def test_a_silent_process_of_another_table_keeps_its_checkpoint_and_may_come_back
      writer = SegmentWriter.new(@dir, pid: DEAD_PID, start: 7, now_ns: @now_ns, namespace: 1)
      writer.record("A#b", wall: 5_000)
      run_round(16 * NS)
      refute_path_exists writer.path
      run_round(26 * NS)
      assert_equal 1, checkpoints.grep(/7.segment\z/).size
      again = SegmentWriter.new(@dir, pid: DEAD_PID, start: 7, now_ns: @now_ns, namespace: 1)
      3.times { again.record("A#b", wall: 5_000) }
      run_round(27 * NS)
      assert_equal 3, total("A#b").count
    end

    def test_a_segment_that_moved_to_another_file_adds_nothing_and_is_removed
      writer = SegmentWriter.new(@dir)
      writer.record("A#b", wall: 5_000)
      run_round
      writer.record("A#b", wall: 5_000)
      writer.put_word(Holdup::Segment::Layout::STATE,
        Holdup::Segment::Layout::CLOSED | Holdup::Segment::Layout::MOVED)
      run_round
      assert_equal 1, total("A#b").count
      refute_path_exists writer.path
    end

    # The store has it under the id of the folder that was removed.
    def test_a_segment_that_comes_back_into_a_new_folder_goes_on_from_its_checkpoint
      writer = SegmentWriter.new(@dir)
      writer.record("A#b", wall: 5_000)
      run_round
      copy = File.binread(writer.path)
      FileUtils.rm_rf(@dir)
      Dir.mkdir(@dir)
      File.binwrite(writer.path, copy)
      @round = new_round
      run_round
      assert_equal 1, total("A#b").count
    end

    def test_one_that_ends_is_sampled_once_more
      writer = SegmentWriter.new(@dir, now_ns: @now_ns)
      run_round
      writer.gauge(:cpu_ns, 77)
      writer.heartbeat(@now_ns + 3 * NS)
      writer.close
      [5 * NS, 70 * NS].each { |later_ns| run_round(later_ns) }
      assert_equal [[@now_ns / NS, nil], [@now_ns / NS + 3, true]],
        processes.map { |sample| sample.values_at(:at_s, :ended) }
    end

    def test_their_container_is_sampled_with_them
      SegmentWriter.new(@dir)
      [0, 10 * NS, 61 * NS].each { |later_ns| run_round(later_ns) }
      containers = @store.processes(0, 1 << 40).select { |sample| sample[:pid].zero? }
      assert_equal 2, containers.size
      assert_operator containers.first.fetch(:vcpus), :>, 0
    end

    def test_progress_of_others_in_a_shared_store_is_left_alone
      others = "0123456789abcdef segments/1-1.segment"
      @store.commit([], {others => "x"})
      SegmentWriter.new(@dir)
      run_round
      assert_equal [others], checkpoints.grep_v(/\A#{Holdup::Segment::Directory.new(@dir).identity.id} /)
    end

    # Both hosts are called "h", and so are their folders.
    def test_two_containers_of_one_name_do_not_count_for_each_other
      2.times { |time| containers.each { |container| container.run(@now_ns + time * NS) } }
      assert_equal 2, total("A#b").count
      containers(again: true).each { |container| container.run(@now_ns + 2 * NS) }
      assert_equal [2, 2], [total("A#b").count, @store.collector_checkpoints.size]
    end

    # A volume of an earlier pod, seen by another path and under another name.
    def test_a_folder_that_moves_to_another_host_goes_on_from_its_checkpoints
      SegmentWriter.new(@dir).record("A#b", wall: 5_000)
      run_round
      moved = "#{@dir}-moved"
      File.rename(@dir, moved)
      new_round(dir: moved, host: "other").run(@now_ns + NS)
      assert_equal 1, total("A#b").count
    ensure
      FileUtils.rm_rf(moved)
    end

    # Of a process that we can't see, because it is in another container.
    def test_keeps_a_segment_whose_heartbeat_seems_old_because_the_clock_was_set
      writer = dead_writer(now_ns: @now_ns)
      writer.record("A#b", wall: 5_000)
      [-600, 600].each { |stepped_s| @round.run(@now_ns + stepped_s * NS, steady: false) }
      assert_path_exists writer.path
      writer.record("A#b", wall: 5_000)
      run_round(16 * NS)
      assert_equal 2, total("A#b").count
    end

    def test_counts_everything_once_while_the_clock_goes_back_and_forth
      writer = SegmentWriter.new(@dir)
      [0, 10, -600, -590, 900, 910].each do |at_s|
        writer.record("A#b", wall: 5_000)
        run_round(at_s * NS)
      end
      assert_equal 6, total("A#b").count
    end

    # A round reads what came since the one before; a new one begins with what the store has.
    def test_stores_each_entry_of_the_audit_log_once
      SegmentWriter.new(@dir)
      log.append(change(from: 5, to: 3))
      run_round
      log.append(change(from: 3, to: 5))
      2.times { run_round }
      assert_equal [[5, 3], [3, 5]], changes.map { |one| [one.from, one.to] }
      @round = new_round
      log.append(change(from: 5, to: 4))
      2.times { run_round }
      assert_equal [3, 5, 4], changes.map(&:to)
      assert_equal ["h"], changes.map(&:host).uniq
    end

    # The commit of a killed collector may have arrived or not.
    def test_writes_entries_again_after_a_failure_and_the_store_keeps_one
      SegmentWriter.new(@dir)
      log.append(change)
      failing = new_round(store: FailingStore.new(@store))
      assert_raises(Holdup::StoreError::Locked) { failing.run(@now_ns) }
      assert_empty changes
      2.times { new_round.run(@now_ns) }
      @store.commit([], {}, audit: changes)
      assert_equal 1, changes.size
    end

    def test_of_an_entry_that_is_being_written_nothing_is_stored_yet
      SegmentWriter.new(@dir)
      log.append(change)
      path = log.paths.first
      half = change(to: 4).to_line
      File.write(path, half[0, 20], mode: "a")
      run_round
      assert_equal [3], changes.map(&:to)
      File.write(path, half[20..], mode: "a")
      run_round
      assert_equal [3, 4], changes.map(&:to)
    end

    def test_leaves_out_damaged_entries
      SegmentWriter.new(@dir)
      log.append(change)
      File.binwrite(log.paths.first, "nonsense\n1\t2\xFF\n", mode: "ab")
      log.append(change(to: 4))
      run_round
      assert_equal [3, 4], changes.map(&:to)
    end

    def test_removes_files_of_the_audit_log_a_day_after_theirs
      SegmentWriter.new(@dir)
      log.append(change)
      run_round
      assert_equal 1, log.paths.size
      run_round(2 * 86_400 * NS)
      assert_empty log.paths
      assert_equal 1, changes.size
    end

    private

    def log = Holdup::AuditEntry::AuditFiles.new(@dir)

    def changes = @store.audit_entries(0, 1 << 40)

    def change(**facts)
      Holdup::AuditEntry.new(at_s: @now_ns / NS, event: :turn, plan_id: "x", lever: "threads", from: 5,
        to: 3, who: :experiment, **facts)
    end

    def new_round(store: @store, dir: @dir, host: "h", lost: nil)
      warnings = RateLimitedLog.new(log: @log, clock: HandClock.new)
      Round.new(store:, directory: Holdup::Segment::Directory.new(dir), host:, warnings:, lost:)
    end

    # Eight minutes pass without a word from our own collector.
    # @return [Array<Holdup::Autopsy>] what the collector of another host lists
    def lost_to_another_host
      other = File.join(@dir, "other")
      living_writer(other)
      round = new_round(dir: other, host: "i", lost: LostProcesses.new(store: @store))
      9.times { |minute| round.run(@now_ns + minute * 60 * NS) }
      deaths
    end

    def last_round = @store.collector_checkpoints.first.last_round

    # Of this very process.
    def living_writer(dir)
      namespace = Holdup::Segment::OwnerProcess.new.namespace
      SegmentWriter.new(dir, namespace:, worker: 0, now_ns: @now_ns - 60 * NS)
    end

    # Each has its own memory at the same path, and a process with the same pid.
    # @return [Array<Round>]
    def containers(again: false)
      @containers = nil if again
      @containers ||= %w[one two].map do |name|
        dir = File.join(@dir, name, "holdup")
        SegmentWriter.new(dir, pid: 7, start: 1, now_ns: @now_ns).record("A#b", wall: 5_000) unless again
        directory = Holdup::Segment::Directory.new(dir)
        directory.define_singleton_method(:path) { "/dev/shm/holdup" }
        warnings = RateLimitedLog.new(log: @log, clock: HandClock.new)
        Round.new(store: @store, directory:, host: "h", warnings:)
      end
    end

    # @return [Array<String>] names of what is stored of segments
    def checkpoints = @store.checkpoints.keys.grep_v(/#token\z/)

    def recent = @store.recent_figures(0, 1 << 40)

    def run_round(later_ns = 0)
      @round.run(@now_ns + later_ns)
    end

    def dead_writer(now_ns: @now_ns - 60 * NS)
      SegmentWriter.new(@dir, pid: DEAD_PID, start: 5, now_ns:)
    end

    # Of this process table, which has no such process.
    def killed_writer(**options)
      namespace = Holdup::Segment::OwnerProcess.new.namespace
      SegmentWriter.new(@dir, pid: DEAD_PID, start: 5, now_ns: @now_ns - 60 * NS, namespace:, **options)
    end

    def processes
      @store.processes(0, 1 << 40).reject { |sample| sample[:pid].zero? }
    end

    def deaths = @store.deaths(0, 1 << 40)

    def windows = @store.windows(0, 1 << 40).to_a

    def window(name)
      windows.find { |one| one.series.name == name }
    end

    def total(name)
      Holdup::Window.sum(windows.select { |one| one.series.name == name })
    end
  end
end
