# frozen_string_literal: true

require "native/native_helper"
require "open3"
require "support/extension_sources"

# The extension built with AddressSanitizer and UndefinedBehaviorSanitizer, put through everything that
# allocates, frees or maps: an access outside of what is its own, or what C does not define, ends the process.
# Ruby's own memory is not instrumented; leaks are Ruby's business at exit.
class SanitizerTest < NativeTest
  thorough

  ROOT = File.expand_path("../../..", __dir__)
  EXTCONF = File.join(ExtensionSources::FOLDER, "extconf.rb")
  SANITIZED = {"HOLDUP_ASAN" => "1"}.freeze
  OPTIONS = "detect_leaks=0:detect_stack_use_after_return=0:handle_segv=0:use_sigaltstack=0:abort_on_error=1"

  def test_nothing_is_touched_that_is_not_ours
    Dir.mktmpdir("holdup", "/dev/shm") do |folder|
      output = fresh_ruby(script(folder), prelude: prelude, timeout: 180,
        env: {"LD_PRELOAD" => library, "ASAN_OPTIONS" => OPTIONS})
      assert_equal "0 true 30", output.lines.last.chomp, output
    end
  end

  # Either must end the run, or the test above proves nothing.
  def test_the_sanitizers_are_really_on
    symbols, = Open3.capture2e("nm", "-D", "--undefined-only", extension)
    assert_match(/__asan_report_store/, symbols)
    assert_match(/__ubsan_handle_\w+_abort/, symbols)
  end

  private

  def library = `gcc -print-file-name=libasan.so`.chomp

  def extension
    command = [RbConfig::CONFIG["CC"], *SANITIZED, *ENV["HOLDUP_PEDANTIC"]]
    sources = [EXTCONF, *ExtensionSources.all]
    @extension ||= CompileCache.fetch("holdup.so", command, sources) do |path|
      Dir.mktmpdir do |folder|
        compile(folder)
        FileUtils.cp(File.join(folder, "holdup.so"), path)
      end
    end
  end

  def compile(folder)
    built, status = Open3.capture2e(SANITIZED, RbConfig.ruby, EXTCONF, chdir: folder)
    built, status = Open3.capture2e("make", chdir: folder) if status.success?
    assert status.success?, built
  end

  def prelude
    <<~RUBY
      $LOAD_PATH.unshift(#{File.join(ROOT, "lib").dump}, #{File.join(ROOT, "test").dump})
      require "holdup/model/errors"
      require "holdup/model/measurement"
      require #{extension.dump}
      require "native/gvl_work"
      Probe = Holdup::Probe
    RUBY
  end

  # A run that Ruby's Ractors hang is repeated: each has a folder of its own.
  def script(folder)
    <<~RUBY
      Dir.mkdir(folder = File.join(#{folder.dump}, Process.pid.to_s))
      Probe.enable
      Probe.open_segment("\#{folder}/parent", 12, 64, nil, 0)
      Probe.repeated_queries = 2
      Probe.watch_objects(true)
      query = {connection: Object.new}
      events = Probe.query_events(->(_connection) { Probe.call_kind("sql") })
      one = ->(i) {
        handle = Probe.enter
        inner = Probe.enter
        i.odd? ? GvlWork.release(2) : GvlWork.wait(10_000)
        Probe.stalled(i.even? ? handle : inner)
        Probe.holders(i.even? ? handle : inner)
        Probe.idle(i.even? ? handle : inner)
        6.times do |turn|
          events.start("", "", query)
          events.finish("", "", query.merge(sql: "SELECT \#{"c" * turn * (i % 3)} IN (1, 'a', $2) /*"))
          Probe.begin_call
          events.end_query(Object.new, query, "SELECT", turn.odd?)
        end
        Probe.finish(inner)
        name = "name \\xff\\0\#{"é" * (i % 150)}\#{i % 40}"
        trace = ["0af7651916cd43dd8448eb211c80319c", "x" * 32, "\\0" * 31, nil][i % 4]
        Probe.record(handle, 1 + i % 2, name, "q" * (i % 100), i, i.even?, nil, nil, trace)
      }
      8.times.map { |t| Thread.new { 100.times { |i| one.(i + t) } } }.each(&:join)
      # More connections than there is room for, given back in any order, twice or never; pools that go.
      connections = lambda do |pool, i|
        handle = Probe.enter
        pool.wait_begins
        places = Array.new(i % 40) { |k| k % 5 == 4 ? pool.take_unseen : pool.take([handle, nil, 0][k % 3]) }
        [*places, *places.first(3)].shuffle.drop(i % 3).each { |place| pool.give_back(place) }
        pool.wait_ends(handle, i, 1 << 62)
        (i % 7 == 0) ? Probe.cancel(handle) : Probe.record(handle, 1, "pool \#{i % 30}", nil, 0, false)
      end
      shared = Probe::ConnectionHolds.new
      4.times.map { |t| Thread.new { 150.times { |i| connections.(shared, i + t) } } }.each(&:join)
      60.times { |i| connections.(Probe::ConnectionHolds.new, i) && (GC.start if i % 20 == 0) }
      Process.wait(fork { 50.times { |i| connections.(shared, i) } && exit!(0) })
      raise "the child ended with \#{$?}" unless $?.success?
      # Waits for locks that others end, with the places of both.
      Probe.sample_holds(10_000_000)
      lock = Mutex.new
      queue = Queue.new
      locks = lambda do |i|
        handle = Probe.enter
        i.even? ? lock.synchronize { GvlWork.wait(6_000_000) } : ((queue << i) && queue.pop)
        Probe.lock_ends(handle)
        (i % 7 == 0) ? Probe.cancel(handle) : Probe.record(handle, 1, "lock \#{i % 30}", nil, 0, false)
      end
      4.times.map { |t| Thread.new { 20.times { |i| locks.(i + t) } } }.each(&:join)
      raise "no place of a lock was taken" unless Probe.lock_samples[:taken].positive?
      Probe.sample_holds(0)
      200.times { Thread.new { Probe.enter } } # dies with a unit open
      # Objects of units that are watched, one after the other, through collections and moves.
      watches = []
      kept = []
      200_000.times do |i|
        break if watches.size >= 30
        handle = Probe.enter
        kept.push(*Array.new(i % 2_000) { "x" })
        Probe.record(handle, 1, "watched", nil, 0, false)
        kept.clear if i % 10 == 0
        GC.compact if i % 5_000 == 0
        watches.concat(Probe.watched_units)
        Probe.forget_objects(watches.last.first / 2) if i % 100 == 0 && watches.any?
        Probe.retained_objects(watches.last.first) if i % 50 == 0 && watches.any?
      end
      raise "only \#{watches.size} units were watched" if watches.size < 30
      Probe.follow_fibers(true)
      in_turns = lambda do |i|
        fibers = Array.new(5) do |k|
          Fiber.new { Fiber.yield(one.(i + k)) && (Probe.enter if k == 3) }
        end
        fibers.each { |fiber| 2.times { fiber.resume } }
      end
      # And each dies with units open.
      4.times.map { |t| Thread.new { 30.times { |i| in_turns.(i + t) } } }.each(&:join)
      Probe.follow_fibers(false)
      3_000.times.map { Probe.enter }.shuffle.each { |handle| Probe.cancel(handle) }
      ractor = Ractor.new { 50.times { Holdup::Probe.finish(Holdup::Probe.enter) } }
      ractor.respond_to?(:value) ? ractor.value : ractor.take
      # More holds, and holders, than there is room for.
      12.times.map { Thread.new { 8.times { |i| one.(i); GvlWork.hold(1_200_000) } } }.each(&:join)
      Thread.list.each { |thread| Probe.label(thread, "label " * 40) }
      100.times do |i|
        Probe.label(Thread.main, "account \#{i}")
        GvlWork.release(1)
        Probe.tick([i, nil] * 50)
      end
      # Accounts that are used again, threads and Ractors of a time in which nothing is measured.
      150.times do |i|
        Thread.new { Probe.label(Thread.current, "thread:job \#{i}") && GvlWork.release(1) }.join
        Probe.tick([])
      end
      8.times do
        inside = Queue.new
        before = Thread.new { inside.pop }
        Probe.disable
        between = Thread.new { inside.pop }
        20.times { Thread.new { nil }.join }
        short = Ractor.new { Thread.new { nil }.join && 1 }
        short.respond_to?(:value) ? short.value : short.take
        Probe.enable
        inside.close
        [before, between].each(&:join)
        Probe.accounts
        Probe.tick([])
      end
      100.times { |i| Probe.call_kind("http t\#{i}.\#{"x" * (i % 70)}.example") }
      Holdup::KernelFile.read("/proc/self/status")
      # A thread that is just leaving may have a lock of the sanitizer, which a fork's child would never get:
      # main, Ruby's timer and one spare are left.
      settled = -> { 6_000.times { break if Dir.children("/proc/self/task").size <= 3; sleep 0.01 } }
      settled.()
      statuses = 20.times.map do |i|
        pid = fork do
          Probe.after_fork
          Probe.enable
          Probe.open_segment("\#{folder}/child\#{i}", 3, 64, i, 1)
          10.times { |k| one.(k) }
          Probe.tick([])
          Probe.close_segment
          exit!(0)
        end
        Process.wait2(pid).last.success?
      end
      stack_of = ->(set, file) {
        links = Class.new do
          180.times do |k|
            following = (k < 179) ? "link_\#{k + 1}(&work)" : "work.call"
            class_eval("def link_\#{k}(&work) = \#{following}")
          end
        end
        deep = links.new
        taken = -> { File.binread(file, 8, 456).unpack1("Q<") }
        before = taken.()
        100.times { deep.link_0 { GvlWork.hold(20_000_000) } if taken.() == before }
      }
      functions = Array.new(100) { |k| ["label \\xff" * k, ("/path" * k if k.odd?), k] }
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }
      elsewhere = ->(i) {
        Probe.sample_elsewhere(true)
        gone = Thread.new { GvlWork.release(1); now.() }.value
        sampled = [[nil, gone], [Thread.current, now.()], [Thread.new { sleep }, 0], [nil, 1 << 63]]
        sampled.each do |thread, at|
          40.times do |k|
            stack = functions.rotate(k + i).flat_map { |function| [function, k] } * 3
            Probe.take_sample(thread, at, stack)
          end
        end
        Probe.charge_capture(i)
        Probe.sample_elsewhere(i == 8)
      }
      captured = 30.times.count do |i|
        Probe.open_capture("\#{folder}/capture\#{i}", 1_000, i, 0, i.even? ? 100_000 : 0) or next
        Thread.list.each { |thread| Probe.name_captured(thread, "thread " * 20) }
        [0, 11, 95, 96, 10**6].each { |series| Probe.limit_capture(series, i, 1) } if i.odd?
        3.times.map { |t| Thread.new { 20.times { |k| one.(k + t) } } }.each(&:join)
        if i == 7 # more than the table has room for
          Array.new(1_100) { Thread.new { Probe.name_captured(Thread.current, "") } }.each(&:join)
        end
        Probe.setting = "{}"
        settled.() if i == 9
        Process.wait(fork { one.(1) }) if i == 9
        elsewhere.(i) if i % 4 == 0
        # More methods than the table has room for.
        14.times { |set| stack_of.(set, "\#{folder}/capture\#{i}") } if i == 12
        Probe.close_capture
      end
      options = {
        vcpus: 1.5,
        handoff_ns: [9],
        growth: 0.1,
        marking: 0.1,
        cold: 0.1,
        rest_half_ns: 9,
        idle_growth: 0.1,
        recorded_processes: 1,
        assignment: :least_busy,
        others_assignment: :shared,
        seed: 1,
        limit: 0,
        think_ns: 0,
        answer_ns: 0,
        lanes: [2, 1]
      }
      users = {limit: 9, think_ns: 7.0, answer_ns: 5.0}
      replay = ->(pool, groups, **more) {
        arrivals = Array.new(200) { |i| i % 100 }.pack("Q<*")
        units = Array.new(200) { |i|
          unit = {held_ns: 9, idle_ns: 9, arriving_ns: 2, holds: 3, gaps: 2, longest_ns: 4,
                  in_flight_milli: 1000, rest_ns: 5, group: i % 2, io: i % 3 % 2, slice_ns: 0, pool:,
                  before: i % 3, lane: i % 2, after: i % 4, after_ns: 3}
          unit.fetch_values(*Holdup::ReplayEngine::UNIT_WORDS)
        }
        units = units.flatten.pack("Q<*")
        Holdup::ReplayEngine.simulate(arrivals, units, groups, **options, **more, own: 100)
      }
      replay.(0, [[3, 2, 1, 5, 1], [1, 1, 0, 5]])
      replay.(0, [[3, 2, 1, 5, 1], [1, 1, 0, 5]], **users)
      # A pool that one of the groups does not have.
      replay.(1, [[3, 2, 1, 5, 1], [1, 1, 0, 5]]) rescue ArgumentError
      replay.(0, [[1, 1, 0, 5]] * 1023 << [0]) rescue ArgumentError
      GC.stress = true
      10.times { |i| one.(i) }
      GC.stress = false
      Probe.disable
      Probe.enable
      one.(1)
      Probe.setting = "{}" * 100
      Probe.close_segment
      one.(2)
      sleep 0.01 while Probe.snapshot[:waiting_threads] > 0
      puts [Probe.snapshot[:identity_ticks], statuses.all?, captured].join(" ")
    RUBY
  end
end
