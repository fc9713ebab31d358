# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class AutopsiesTest < Minitest::Test
    include TemporaryFolder

    NS = 1_000_000_000
    NOW_S = 1_790_000_040
    NOW_NS = NOW_S * NS
    DEAD_PID = 4_194_999
    SETTING = Holdup::Setting.new(attributes: {"threads" => 5})

    def setup
      @store = Holdup::Store.open("memory:")
      @examined = Autopsies.new(store: @store, host: "web-1")
      @writer = SegmentWriter.new(folder, pid: DEAD_PID, start: 5, worker: 2, now_ns: NOW_NS - 60 * NS)
    end

    # @return [Array<Holdup::Autopsy>]
    def autopsies
      Holdup::Segment::Reader.open(@writer.path, gone: true) do |reader|
        slots = Array.new(reader.header.series_count) { |index| reader.slot(index) }
        @examined.add("7-5.segment", reader, SETTING, slots)
      end
      @examined.to_a("0123456789abcdef", NOW_NS)
    end

    def autopsy = autopsies.first

    def test_says_what_was_in_flight
      @writer.profile = {"server" => "puma"}
      @writer.gauge(:allocated_objects, 900)
      @writer.open_unit(0, "A#b", started_ns: NOW_NS - 9 * NS, thread: 71, objects: 500, request: "r-1")
      @writer.see_open_unit(0, :gvl, since_ns: NOW_NS - 8 * NS, seen_ns: NOW_NS - 2 * NS)
      @writer.open_unit(1, "ReportJob", kind: :job, queue: "low", job: "j-1", started_ns: NOW_NS - 5 * NS)
      @writer.see_holder(72, "ReportJob", since_ns: NOW_NS - 7 * NS, seen_ns: NOW_NS - 2 * NS)
      death = autopsy
      assert_equal [["A#b", :gvl, "r-1", 500], ["ReportJob", nil, nil, 0]],
        death.units.map { |unit| unit.values_at(:name, :state, :request_id, :objects) }
      assert_equal ["low", "j-1"], death.units.last.values_at(:queue, :job_id)
      assert_equal [72, "ReportJob"], death.gvl.values_at(:holder_thread, :holder_name)
      assert_equal ["puma", "worker 2", DEAD_PID, 900], [death.server, death.name, death.pid, death.objects]
      assert_equal SETTING.fingerprint, death.setting
    end

    def test_dates_the_death_by_the_last_sign_of_life
      @writer.open_unit(0, "A#b", started_ns: NOW_NS - 3 * NS)
      assert_equal [NOW_NS - 3 * NS, NOW_NS, :gone], [autopsy.alive_ns, autopsy.gone_ns, autopsy.reason]
    end

    def test_has_the_last_requests_that_ended
      25.times { |number| @writer.record("A##{number % 2}", wall: number + 1, start_ns: number) }
      @writer.open_unit(0, "A#b")
      ended = autopsy.ended
      assert_equal [20, {kind: :request, name: "A#0", start_ns: 24, wall_ns: 25}], [ended.size, ended.last]
    end

    def test_a_helper_without_work_that_is_gone_is_no_death
      @writer = SegmentWriter.new(folder, pid: DEAD_PID, start: 6, now_ns: NOW_NS - 60 * NS)
      assert_empty autopsies
    end

    def test_a_server_that_is_gone_is_a_death_even_without_work
      @writer = SegmentWriter.new(folder, pid: DEAD_PID, start: 6, now_ns: NOW_NS - 60 * NS)
      @writer.pools = [[5, 0, 0]]
      assert_equal [], autopsy.units
    end

    def test_a_worker_that_is_gone_before_its_first_tick_is_a_death
      assert_equal ["worker 2", []], [autopsy.name, autopsy.units]
    end

    def test_has_the_memory_of_the_last_ten_minutes
      @writer.open_unit(0, "A#b")
      own = {host: "web-1", pid: DEAD_PID, start: 5}
      samples = [900, 300, 240].map { |ago_s| {**own, at_s: NOW_S - ago_s, rss_bytes: 1000 - ago_s} }
      other = {**own, pid: 8, at_s: NOW_S - 100, rss_bytes: 7}
      @store.commit([], {}, processes: [*samples, other, {**own, host: "b", at_s: NOW_S - 99, rss_bytes: 9}])
      assert_equal [{at_s: NOW_S - 300, rss_bytes: 700}, {at_s: NOW_S - 240, rss_bytes: 760}], autopsy.memory
    end

    # Two processes lived for the whole hour, and A#b took half an hour in them.
    def test_has_the_share_of_each_name_in_the_hour_before
      @writer.open_unit(0, "A#b")
      samples = [1, 2].map do |pid|
        {at_s: NOW_S - 100, host: "web-1", pid:, start: 1, setting: SETTING.fingerprint, since_s: 5}
      end
      @store.commit([worked("A#b", 1800), worked("B#c", 36), worked("B#c", 36, kind: :process),
        worked("C#d", 36, setting: Holdup::Setting.new(attributes: {}))], {}, processes: samples)
      assert_equal({"A#b" => 0.25, "B#c" => 0.005}, autopsy.shares)
    end

    def test_has_no_shares_of_an_hour_of_which_nothing_is_known
      @writer.open_unit(0, "A#b")
      assert_empty autopsy.shares
    end

    def test_forgets_what_an_earlier_round_found
      @writer.open_unit(0, "A#b")
      assert_equal 1, autopsies.size
      @examined.start
      assert_empty @examined.to_a("0123456789abcdef", NOW_NS)
    end

    def test_says_how_its_master_saw_it_die
      @writer.open_unit(0, "A#b")
      note(:signal, 6, at_ns: NOW_NS - 59 * NS)
      @examined.start(NOW_NS, path: folder)
      assert_equal [:signal, 6, NOW_NS - 59 * NS], autopsy.to_h.values_at(:reason, :status, :told_ns)
      @examined.committed([autopsy])
      assert_empty Dir.glob("#{folder}/*.exit")
    end

    def test_a_process_that_had_the_pid_before_says_nothing
      @writer.open_unit(0, "A#b")
      note(:signal, 6, at_ns: NOW_NS - 61 * NS)
      @examined.start(NOW_NS, path: folder)
      assert_equal :gone, autopsy.reason
    end

    def test_waits_for_the_master_of_a_server_that_says_how_workers_die
      @examined.start(NOW_NS, path: folder)
      @writer.heartbeat(NOW_NS - 9 * NS)
      servers = [["unicorn", "6.1.0"], ["puma", "6.6.1"], ["puma", "8.0.2"]]
      unicorn, old, new = servers.map do |server, version|
        Holdup::Setting.new(attributes: {"server" => server, "server_version" => version})
      end
      assert_equal [true, false, true, false], [unicorn, old, new, SETTING].map { |one| awaited?(one) }
      @writer.heartbeat(NOW_NS - 10 * NS)
      refute awaited?(unicorn)
    end

    def test_waits_no_longer_when_the_master_has_said_it
      unicorn = Holdup::Setting.new(attributes: {"server" => "unicorn"})
      @examined.start(NOW_NS, path: folder)
      @writer.heartbeat(NOW_NS)
      assert awaited?(unicorn)
      note(:timeout, nil, at_ns: NOW_NS)
      refute awaited?(unicorn)
    end

    # A group of processes in which the kernel kills for memory.
    class MemoryGroup
      attr_accessor :kills

      def initialize
        @kills = 3
      end

      def folders(_controller) = ["/x"]

      def read(path) = ("low 0\noom 5\noom_kill #{@kills}\n" if path == "/x/memory.events")
    end

    def test_the_kernel_killed_for_memory_as_many_as_it_counts
      group = MemoryGroup.new
      kills = Autopsies::MemoryKills.new(group:)
      @examined = Autopsies.new(store: @store, host: "web-1", memory_kills: kills)
      @writer.open_unit(0, "A#b")
      @examined.start(NOW_NS)
      assert_equal :gone, autopsy.reason
      group.kills = 4
      @examined.start(NOW_NS)
      found = [*autopsies, *autopsies].last(2)
      assert_equal %i[oom gone], found.map(&:reason)
      @examined.committed(found)
      assert_equal 0, kills.count(NOW_NS)
    end

    def test_another_signal_is_no_kill_for_memory
      group = MemoryGroup.new
      kills = Autopsies::MemoryKills.new(group:)
      @examined = Autopsies.new(store: @store, host: "web-1", memory_kills: kills)
      @writer.open_unit(0, "A#b")
      group.kills = 4
      reasons = [[:signal, 11], [:timeout, nil], [:exit, 1], [:killer, nil],
        [:signal, 9]].map do |reason, status|
        FileUtils.rm_f("#{folder}/#{DEAD_PID}.exit")
        note(reason, status, at_ns: NOW_NS)
        @examined.start(NOW_NS, path: folder)
        autopsy.reason
      end
      assert_equal %i[signal timeout exit killer oom], reasons
    end

    def test_a_kill_that_no_process_explains_is_forgotten
      group = MemoryGroup.new
      kills = Autopsies::MemoryKills.new(group:)
      group.kills = 5
      assert_equal 2, kills.count(NOW_NS)
      assert_equal 2, kills.count(NOW_NS + 60 * NS)
      assert_equal 0, kills.count(NOW_NS + 61 * NS)
    end

    # The kernel may kill the collector together with a worker.
    def test_the_next_collector_knows_of_kills_that_the_last_one_did_not_explain
      group = MemoryGroup.new
      before = Autopsies::MemoryKills.new(group:)
      group.kills = 5
      assert_equal 2, before.count(NOW_NS, path: folder)
      before.explained(1)
      assert_equal 1, Autopsies::MemoryKills.new(group:).count(NOW_NS, path: folder)
      group.kills = 6
      after = Autopsies::MemoryKills.new(group:)
      assert_equal 2, after.count(NOW_NS, path: folder)
      after.explained(2)
      assert_equal 0, Autopsies::MemoryKills.new(group:).count(NOW_NS, path: folder)
    end

    def test_a_count_that_could_not_be_read_once_loses_no_kill
      group = MemoryGroup.new
      kills = Autopsies::MemoryKills.new(group:)
      group.kills = 4
      group.stub(:read, nil) { assert_equal 0, kills.count(NOW_NS) }
      assert_equal 1, kills.count(NOW_NS)
    end

    def test_a_container_that_began_anew_has_no_kills_to_explain
      group = MemoryGroup.new
      Autopsies::MemoryKills.new(group:).count(NOW_NS, path: folder)
      group.kills = 1
      assert_equal 0, Autopsies::MemoryKills.new(group:).count(NOW_NS, path: folder)
    end

    def test_a_damaged_note_of_kills_says_nothing
      group = MemoryGroup.new
      ["", "x /x\n", "1 /y\n", "1"].each do |text|
        File.write("#{folder}/collector.kills", text)
        assert_equal 0, Autopsies::MemoryKills.new(group:).count(NOW_NS, path: folder), text
      end
    end

    private

    def note(reason, status, at_ns:)
      Holdup::ExitNote::ExitFiles.new(folder).add(Holdup::ExitNote.new(DEAD_PID, at_ns, reason, status))
    end

    def awaited?(setting)
      Holdup::Segment::Reader.open(@writer.path, gone: true) do |reader|
        return @examined.awaited?(reader.header, setting)
      end
    end

    def worked(name, seconds, kind: :request, setting: SETTING)
      series = Holdup::Series.new(kind:, name:)
      start_s = NOW_S / 60 * 60 - 600
      empty = Holdup::Window.empty(series:, setting:, host: "web-1", start_s:, seconds: 60)
      wall = Holdup::Histogram.of([seconds * NS])
      empty.with(count: 1, histograms: {**empty.histograms, wall:})
    end
  end
end
