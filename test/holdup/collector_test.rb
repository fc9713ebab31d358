# frozen_string_literal: true

require "test_helper"
require "sqlite3"
require "tmpdir"
require "holdup/loader"

module Holdup
  class CollectorTest < Minitest::Test
    include Collecting

    def setup
      @dir = Dir.mktmpdir("holdup-collector")
      @segments = File.join(@dir, "segments")
      @log = CollectedLog.new
    end

    def teardown
      end_all
      FileUtils.rm_rf(@dir)
    end

    def test_once_collects_and_lets_go
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      assert_equal :collected, collector.once
      assert_equal 1, counted
      refute Segment::Directory.new(@segments).collected?
    end

    # Nobody knows when the next one comes, so that one comes late says nothing.
    def test_once_leaves_nothing_that_would_be_lost
      writer = SegmentWriter.new(@segments, namespace: Segment::OwnerProcess.new.namespace)
      writer.open_unit(0, "A#b", started_ns: 1)
      writer.record("A#b", wall: 5_000)
      collector.once
      store = Store.open(store_path)
      assert_equal [[]], store.collector_checkpoints.map(&:last_round)
    ensure
      store&.close
    end

    def test_once_stands_by_when_another_leads
      FileUtils.mkdir_p(@segments)
      leader = Collector::Election.new(File.join(@segments, "collector.lock"))
      assert leader.won?
      assert_equal :standby, collector.once
    ensure
      leader.release
    end

    # Also where the next round would come in an hour.
    def test_who_hurries_it_has_a_round_within_a_second_or_two
      writer = SegmentWriter.new(@segments)
      writer.record("A#b", wall: 5_000)
      one, thread = run_in_thread(interval: 3600)
      wait_until { counted_safely == 1 }
      writer.record("A#b", wall: 5_000)
      Segment::Directory.new(@segments).hurry
      assert wait_until { counted == 2 }
    ensure
      one&.stop
      thread&.join
    end

    def test_what_keeps_advice_ready_runs_after_each_round_and_ends_with_it
      keeper = Struct.new(:calls) {
        def call
          self.calls += 1
          raise "no room" if calls == 2
        end

        def close = self.calls = "closed after #{calls}"
      }.new(0)
      one, thread = run_in_thread(interval: 0.05, keeper:)
      wait_until { keeper.calls.is_a?(Integer) && keeper.calls > 3 }
      one.stop
      thread.join
      assert_match(/closed after [4-9]/, keeper.calls)
      assert_equal ["what keeps advice ready failed (RuntimeError: no room)"], @log.lines.grep(/keeps advice/)
    end

    def test_calls_what_it_got_for_after_the_first_round_once
      rounds = 0
      calls = []
      one = collector(interval: 0.05, warm: -> { calls << rounds })
      one.define_singleton_method(:tick) do
        stop if (rounds += 1) == 3
        super()
      end
      one.run(signals: [])
      assert_equal [1], calls
    end

    # A round that takes 50 ms of CPU comes every 5 s, but the first one also loads code.
    def test_the_first_round_does_not_put_off_the_second
      pauses = []
      one = collector(interval: 0.2)
      one.define_singleton_method(:tick) do
        end_ns = cpu_ns + 50_000_000
        nil until cpu_ns > end_ns
        super()
      end
      one.define_singleton_method(:pause) { |seconds| (pauses << seconds).size == 2 && stop }
      one.run(signals: [])
      assert_operator pauses.first, :<=, 0.2
      assert_operator pauses.last, :>, 4
    end

    # One object of each round would be a leak: there are 8,640 a day.
    def test_rounds_leave_no_objects_behind
      clock = SteppedClock.new(Time.now.to_i)
      writer = SegmentWriter.new(@segments)
      one = collector(clock:)
      40.times { round(one, writer, clock) }
      before = live_objects
      120.times { round(one, writer, clock) }
      assert_operator live_objects - before, :<, 60
      assert_equal 160, counted
    ensure
      one&.send(:leave)
    end

    SteppedClock = Struct.new(:realtime_s) do
      def realtime_ns = realtime_s * 1_000_000_000

      def monotonic_ns = realtime_ns
    end
    private_constant :SteppedClock

    def round(one, writer, clock)
      clock.realtime_s += 10
      writer.record("A#b", wall: 5_000 + clock.realtime_s % 100, start_ns: clock.realtime_ns)
      writer.heartbeat(clock.realtime_ns)
      one.send(:attempt)
    end

    def live_objects
      GC.start
      GC.stat(:heap_live_slots)
    end

    # Else it would try without a pause.
    def test_a_standby_collector_ignores_requests_to_hurry
      FileUtils.mkdir_p(@segments)
      leader = Collector::Election.new(File.join(@segments, "collector.lock"))
      assert leader.won?
      looks = 0
      one = collector(interval: 3600)
      one.define_singleton_method(:lead?) { (looks += 1) && super() }
      thread = Thread.new { one.run }
      wait_until { looks == 1 }
      Segment::Directory.new(@segments).hurry
      wait_until { looks >= 2 }
      assert_operator looks, :<, 10
    ensure
      one&.stop
      thread&.join
      leader&.release
    end

    # The sum is what was written, whenever it is collected and by which collector.
    one_ruby def test_any_interleaving_sums_up_to_what_was_written
      5.times do |round|
        FileUtils.rm_rf(@dir)
        Dir.mkdir(@dir)
        written = interleave(Random.new(Minitest.seed + round))
        collector.once
        totals = windows.select { |window| window.series.kind == :request }.group_by do |window|
          window.series.name
        end
        assert_equal written.transform_values { |values| Histogram.of(values) },
          totals.transform_values { |all| Window.sum(all).histograms[:wall] }
      end
    end

    def test_a_failing_store_is_logged_once_avoided_and_used_again
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      File.binwrite(store_path, "this is no database" * 100)
      running = run_in_thread
      wait_until { @log.lines.any? }
      wait_until { (@waited = @waited.to_i + 1) > 20 } # several attempts
      assert_match(/is not a store of Holdup.*move the file away.*segments are kept/, @log.lines.join("\n"))
      assert_equal 1, @log.lines.size
      assert_equal "this is no database", File.binread(store_path, 19), "nothing of it was touched"
      File.rename(store_path, "#{store_path}.bad")
      wait_until { @log.lines.include?("collecting again") }
      assert_equal 1, counted
    ensure
      finish(running)
    end

    def test_a_locked_store_is_waited_for
      writer = SegmentWriter.new(@segments)
      running = run_in_thread
      wait_until { counted_safely }
      locked(store_path) do
        writer.record("A#b", wall: 5_000)
        wait_until { @log.lines.any? }
      end
      wait_until { @log.lines.include?("collecting again") }
      assert_match(/is locked by another process/, @log.lines.first)
      assert_equal 1, counted
    ensure
      finish(running)
    end

    def test_a_folder_that_vanishes_comes_back
      running = run_in_thread
      wait_until { File.exist?("#{@segments}/collector.lock") }
      FileUtils.rm_rf(@segments)
      wait_until { File.exist?("#{@segments}/collector.lock") }
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      wait_until { counted_safely == 1 }
      assert_path_exists "#{@segments}/collector.lock"
    ensure
      finish(running)
    end

    def test_term_carries_the_last_units_says_so_and_ends
      service = ServiceSocket.new(File.join(@dir, "notify"))
      pid = spawn_collector(@segments, store_path, interval: 30, err: error_path, notify: "#{@dir}/notify")
      # Its store may be there before it has read the segments.
      wait_until { service.received.any? { |message| message.start_with?("READY=1") } }
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      Process.kill(:TERM, pid)
      assert_predicate ended(pid), :success?
      assert_equal 1, counted
      refute Segment::Directory.new(@segments).collected?
      assert_equal "the collector ends; requests and jobs stored in its last round: 1\n",
        File.read(error_path)
    ensure
      service&.close
    end

    def test_a_collector_that_stands_by_ends_without_a_word
      FileUtils.mkdir_p(@segments)
      leader = Collector::Election.new(File.join(@segments, "collector.lock"))
      assert leader.won?
      service = ServiceSocket.new(File.join(@dir, "notify"))
      pid = spawn_collector(@segments, store_path, err: error_path, notify: "#{@dir}/notify")
      wait_until { service.received.include?("READY=1\nSTATUS=standing by; another collector leads") }
      Process.kill(:TERM, pid)
      assert_predicate ended(pid), :success?
      assert_equal "", File.read(error_path)
    ensure
      leader&.release
      service&.close
    end

    def test_says_what_is_left_when_the_store_does_not_answer_in_time
      pid = spawn_hanging(grace_s: 0.2)
      Process.kill(:TERM, pid)
      assert_equal 1, ended(pid).exitstatus
      expected = "the collector ends; its last round failed: the store did not answer within 0.2 s; " \
        "segments left in #{@segments} for the next collector: 1\n"
      assert_equal expected, File.read(error_path)
    end

    def test_a_second_term_ends_at_once
      pid = spawn_hanging(grace_s: 3600)
      status = wait_until do
        Process.kill(:TERM, pid)
        Process.wait2(pid, Process::WNOHANG)
      end
      started.delete(pid)
      assert_equal Signal.list["TERM"], status.last.termsig
      assert_equal "", File.read(error_path)
    end

    # systemd restarts it then.
    def test_the_watchdog_hears_nothing_from_a_round_that_hangs
      service = ServiceSocket.new(File.join(@dir, "notify"))
      clock = RunningClock.new
      notifier = Collector::SystemdNotifier.new(File.join(@dir, "notify"), clock:, watchdog_us: 1_000_000)
      writer = SegmentWriter.new(@segments)
      writer.record("A#b", wall: 5_000)
      store = HangingStore.new
      one = Collector.new(store:, directory: @segments, log: @log, clock:, notifier:)
      thread = Thread.new { one.run }
      wait_until { service.received.include?("WATCHDOG=1") }
      store.hang = true
      writer.record("A#b", wall: 5_000)
      store.hung.pop
      service.received
      clock.monotonic_ns
      assert_empty service.received
    ensure
      thread&.kill&.join
      service&.close
    end

    def test_two_processes_elect_one_and_the_other_takes_over
      pids = Array.new(2) { spawn_collector(@segments, store_path) }
      lock = "#{@segments}/collector.lock"
      leader = wait_until { File.exist?(lock) && pids.find { |pid| File.read(lock).to_i == pid } }
      writer = SegmentWriter.new(@segments)
      writer.record("A#b", wall: 5_000)
      wait_until { counted_safely == 1 }
      end_process(leader, :KILL)
      writer.record("A#b", wall: 5_000)
      wait_until { counted_safely == 2 }
      assert_equal pids - [leader], [File.read(lock).to_i]
    end

    def test_it_ends_with_its_parent_after_the_last_units
      parent = spawn_ruby("sleep")
      writer = SegmentWriter.new(@segments, parent:)
      running = Thread.new { collector(parent:, interval: 30).run }
      wait_until { File.exist?("#{@segments}/collector.lock") }
      end_process(parent, :KILL)
      writer.record("A#b", wall: 5_000)
      writer.close
      assert running.join(WaitUntil::PATIENCE_S), "ends by itself"
      assert_equal 1, counted
    end

    # So that everything is stored within half a minute after the store is back.
    def test_tries_a_store_that_is_down_every_twenty_seconds
      store = FailingStore.new(Store.open(store_path))
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      one = Collector.new(store:, directory: @segments, log: @log, host: "h", interval: 10)
      assert_equal [10, 20, 20, 20], Array.new(4) { one.send(:attempt) }
    end

    def test_what_sends_notices_runs_after_each_round_of_the_leader_also_when_it_failed
      calls = 0
      notices = Object.new
      notices.define_singleton_method(:call) { calls += 1 }
      notices.define_singleton_method(:close) { calls = -calls }
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      failing = FailingStore.new(Store.open(store_path))
      failing.define_singleton_method(:close) {}
      one = Collector.new(store: failing, directory: @segments, log: @log, host: "h", interval: 10, notices:)
      3.times { one.send(:attempt) }
      assert_equal 3, calls
      one.send(:leave)
      assert_equal(-3, calls)
      standing_by = Collector.new(store: Store.open(store_path), directory: @segments, log: @log, host: "h",
        interval: 10, notices:)
      standing_by.define_singleton_method(:lead?) { false }
      standing_by.send(:attempt)
      assert_equal(-3, calls)
    ensure
      standing_by&.send(:leave)
    end

    # Ticks begin at multiples of the interval; this clock begins at one.
    def test_the_next_tick_comes_later_after_a_dear_one_but_not_by_minutes
      one = Collector.new(store: Store.open("memory:"), directory: @segments, log: @log, host: "h",
        interval: 10,
        clock: SetClock.new.tap { |clock| clock.realtime_ns = 1_000 * Holdup::NS })
      assert_equal [10, 20, 20], [0.05, 0.22, 5.0].map { |cost_s| one.send(:until_next, cost_s).round }
    end

    def test_upkeep_rolls_up_and_prunes
      store = CountingStore.new
      clock = HandClock.new
      def clock.realtime_s = realtime_ns / 1_000_000_000
      running = Collector.new(store:, directory: @segments, log: @log, clock:, interval: 0.01)
      thread = Thread.new { running.run }
      wait_until { store.calls.include?(:prune) }
      running.stop
      assert thread.join(WaitUntil::PATIENCE_S)
      assert_equal [1, 1], [store.calls.count(:rollup), store.calls.count(:prune)]
    end

    # A process of another container, which only its heartbeat shows.
    def test_a_clock_that_is_set_ends_no_process
      clock = SetClock.new
      writer = SegmentWriter.new(@segments, pid: 4_194_995, start: 7, now_ns: clock.realtime_ns)
      one = collector(clock:)
      [0, 600, -3600, 86_400].each do |step_s|
        writer.record("A#b", wall: 5_000)
        one.send(:attempt)
        clock.realtime_ns += step_s * NS
        clock.pass(1)
      end
      one.send(:attempt)
      assert_path_exists writer.path
      writer.heartbeat(clock.realtime_ns)
      clock.pass(10)
      one.send(:attempt)
      assert_path_exists writer.path
      clock.pass(16)
      one.send(:attempt)
      refute_path_exists writer.path
      assert_equal 4, counted
    ensure
      one&.send(:leave)
    end

    def test_upkeep_goes_on_after_the_clock_was_set_back
      store = CountingStore.new
      clock = SetClock.new
      one = Collector.new(store:, directory: @segments, log: @log, clock:)
      [-86_400, 30, 61].each do |step_s|
        one.send(:attempt)
        clock.realtime_ns += step_s * NS
      end
      one.send(:attempt)
      assert_equal 3, store.calls.count(:prune)
    ensure
      one&.send(:leave)
    end

    # In a fleet, one of them has something to roll up.
    def test_prunes_after_a_roll_up_and_else_once_an_hour
      store = CountingStore.new(spans: 0)
      clock = SetClock.new
      one = Collector.new(store:, directory: @segments, log: @log, clock:)
      prunes = [0, 61, 3600, 61].map do |passed_s|
        clock.pass(passed_s)
        one.send(:attempt)
        store.calls.count(:prune)
      end
      assert_equal [1, 1, 2, 2], prunes
      store.spans = 1
      clock.pass(61)
      one.send(:attempt)
      assert_equal 3, store.calls.count(:prune)
    ensure
      one&.send(:leave)
    end

    def test_what_a_last_round_can_not_store_goes_to_the_spool_and_to_the_next_collector
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      File.binwrite(store_path, "this is no database" * 100)
      one = collector(spool:)
      one.stop
      one.run
      assert_match(/its last round failed: .*; segments left in .*: 1; copied into the spool: 1 \(\d+ kB, /,
        @log.lines.last)
      File.unlink(store_path)
      FileUtils.rm_rf(@segments)
      collector(spool:).once
      assert_equal 1, counted
    end

    def test_says_why_a_spool_takes_nothing
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      File.binwrite(store_path, "this is no database" * 100)
      File.write(File.join(@dir, "spool"), "a file")
      one = collector(spool:)
      one.stop
      one.run
      assert_match(/left in .*: 1; they can't be copied into the spool: .*File exists/, @log.lines.last)
    end

    def test_a_store_that_hangs_leaves_its_segments_to_the_spool
      pid = spawn_hanging(grace_s: 0.2, spool: File.join(@dir, "spool"))
      Process.kill(:TERM, pid)
      assert_equal 1, ended(pid).exitstatus
      assert_match(/did not answer within 0.2 s; .*: 1; copied into the spool: 1 /, File.read(error_path))
      FileUtils.rm_rf(@segments)
      collector(spool:).once
      assert_equal 1, counted
    end

    # A clock that somebody sets.
    class SetClock < HandClock
      def realtime_s = realtime_ns / NS

      def pass(seconds)
        self.realtime_ns += seconds * NS
        self.monotonic_ns += seconds * NS
      end
    end

    # Its commits never end once it hangs.
    class HangingStore < SimpleDelegator
      attr_reader :hung
      attr_writer :hang

      def initialize
        super(Store.open("memory:"))
        @hung = Thread::Queue.new
      end

      def commit(*, **)
        return super unless @hang
        @hung << true
        sleep
      end
    end

    # A minute passes whenever it is read.
    class RunningClock < Clock
      def monotonic_ns = @ns = @ns.to_i + 60_000_000_000
    end

    # Remembers the upkeep that it was asked for.
    class CountingStore < SimpleDelegator
      attr_writer :spans

      # @param spans [Integer] how many there are to roll up, each time
      def initialize(spans: 1)
        super(Store.open("memory:"))
        @spans = spans
      end

      def calls = @calls ||= []

      def rollup(now_s)
        calls << :rollup
        @spans
      end

      def prune(now_s, **) = calls << :prune
    end

    private

    def store_path = File.join(@dir, "store.sqlite3")

    def error_path = File.join(@dir, "error")

    def ended(pid)
      Process.wait2(pid).last.tap { started.delete(pid) }
    end

    # @return [Integer] pid of a collector whose store hangs in a commit
    def spawn_hanging(grace_s:, spool: nil)
      SegmentWriter.new(@segments).record("A#b", wall: 5_000)
      script = <<~RUBY
        require "holdup/loader"
        Holdup::Collector.send(:remove_const, :GRACE_S)
        Holdup::Collector::GRACE_S = #{grace_s}
        store = Holdup::Store.open("memory:")
        store.define_singleton_method(:commit) { |*, **| $stdout.syswrite("."); sleep }
        log = Object.new.tap { |it| it.define_singleton_method(:warn) { |line| $stderr.puts(line) } }
        spool = Holdup::Collector::Spool.new(ARGV[1], max_bytes: 1 << 20, log:) if ARGV[1]
        Holdup::Collector.new(store:, directory: ARGV[0], log:, host: "h", spool:).run
      RUBY
      reader, writer = IO.pipe
      pid = spawn_ruby(script, @segments, *spool, out: writer, err: error_path)
      writer.close
      assert_equal ".", reader.getc
      pid
    ensure
      reader&.close
    end

    def collector(**options)
      Collector.new(store: Store.open(store_path), directory: @segments, log: @log, host: "h",
        interval: 0.01, **options)
    end

    def spool
      Collector::Spool.new(File.join(@dir, "spool"), max_bytes: 1 << 20, log: @log)
    end

    def run_in_thread(**)
      one = collector(**)
      [one, Thread.new { one.run }]
    end

    def finish(running)
      one, thread = running
      one&.stop
      thread&.join(WaitUntil::PATIENCE_S)
    end

    def windows
      store = Store.open(store_path, read_only: true)
      store.windows(0, 1 << 40).to_a
    ensure
      store&.close
    end

    def counted
      windows.select { |window| window.series.kind == :request }.sum(&:count)
    end

    def counted_safely
      counted
    rescue StoreError
      nil
    end

    def locked(path)
      database = SQLite3::Database.new(path)
      database.execute("BEGIN EXCLUSIVE")
      yield
    ensure
      database.close
    end

    # Units, ticks of one collector or its replacement, and processes that come and die.
    def interleave(random)
      written = Hash.new { |all, name| all[name] = [] }
      writers = [new_writer(0)]
      one = collector
      200.times do |step|
        case random.rand(12)
        when 0 then one.once
        when 1 then (one = collector).once
        when 2
          (writers.size < 8) ? writers << new_writer(step + 1) : writers.delete(writers.sample(random:)).close
        else write(writers, written, random)
        end
      end
      writers.each { |writer| random.rand(2).zero? ? writer.close : writer.abandon }
      written
    end

    def new_writer(number)
      SegmentWriter.new(@segments, suffix: "-#{number + 1}")
    end

    def write(writers, written, random)
      writer = writers.sample(random:) or return
      name = "N#{random.rand(3)}"
      wall = Math.exp(random.rand(5.0..25.0)).to_i
      writer.record(name, wall:)
      written[name] << wall
    end
  end
end
