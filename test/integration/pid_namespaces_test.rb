# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"
require "support/pid_namespace"

# An application and a collector that don't see each other's processes, as the containers of a pod.
class PidNamespacesTest < Minitest::Test
  include TemporaryFolder

  # Measures as many as it is asked for.
  APPLICATION = <<~RUBY
    $stdout.sync = true
    require "holdup"
    Holdup.start
    while (line = $stdin.gets)
      Integer(line).times { Holdup.measure("Work") { :done } }
      puts Process.pid
    end
  RUBY

  def setup
    skip "no PID name space can be made here" unless PidNamespace.command
    @dir = File.join(folder, "segments")
    @store = File.join(folder, "store.sqlite3")
  end

  def teardown
    @streams&.first(2)&.each(&:close)
    if @streams
      Process.kill(:KILL, @streams.last.pid) if @streams.last.alive?
      @streams.last.value
    end
    super
  end

  def environment
    {"HOLDUP_DIR" => @dir, "HOLDUP_STORE" => @store, "HOLDUP_COLLECTOR" => "off",
     "HOLDUP_TICK_SECONDS" => "0.1", "HOLDUP_LOG" => "off"}
  end

  # @return [Integer] its pid, as it sees it
  def measure(count)
    @streams ||= Open3.popen2(environment, *PidNamespace.command, RbConfig.ruby, "-W:no-experimental",
      "-I#{Collecting::LIB}", "-e", APPLICATION)
    @streams.first.puts(count)
    Integer(@streams[1].gets)
  end

  # In a further name space.
  def collect_apart
    command = [*PidNamespace.command, RbConfig.ruby, CommandLine::EXE, "collect", "--once"]
    said, status = Open3.capture2e(environment, *command)
    assert_predicate status, :success?, said
    assert_empty said
  end

  # In the one of this test.
  def collect_here(later_s: 0)
    clock = HandClock.new(realtime_ns: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) +
      later_s * 1_000_000_000)
    def clock.realtime_s = realtime_ns / 1_000_000_000
    store = Holdup::Store.open(@store)
    Holdup::Collector.new(store:, directory: @dir, log: CollectedLog.new, clock:).once
  end

  def stored
    store = Holdup::Store.open(@store)
    store.windows(0, Time.now.to_i + 3600, kinds: [:job, :request]).sum(&:count)
  ensure
    store&.close
  end

  def samples
    store = Holdup::Store.open(@store)
    store.processes(0, Time.now.to_i + 3600).to_a
  ensure
    store&.close
  end

  def segments = Dir.glob("*.segment", base: @dir)

  # Whether the kernel has ended the process in the name space too, after the one that made it.
  def ended?
    segments.all? do |name|
      File.open(File.join(@dir, name)) { |io| Holdup::Segment::Directory::FileLock.state(io) == :free }
    end
  end

  def test_each_unit_counts_once_although_no_process_is_visible
    assert_equal 1, measure(20)
    collect_apart
    assert_equal [20, 1], [stored, segments.size]
    measure(5)
    collect_apart
    collect_here
    assert_equal [25, 1], [stored, segments.size]
    @streams.first.close
    @streams.last.value
    collect_apart
    assert_equal [25, 0], [stored, segments.size]
  end

  def test_the_segment_of_a_killed_process_goes_when_its_heartbeat_is_old
    measure(20)
    Process.kill(:KILL, @streams.last.pid)
    @streams.last.value
    wait_until { ended? }
    collect_here
    assert_equal [20, 1], [stored, segments.size]
    collect_here(later_s: 16)
    assert_equal [20, 0], [stored, segments.size]
  end

  # Who wants these gives the pod `shareProcessNamespace`.
  def test_memory_and_cpu_of_invisible_processes_are_unknown
    measure(3)
    collect_apart
    process = samples.find { |sample| sample[:pid] == 1 }
    refute_nil process
    assert_empty process.slice(:pss_bytes, :uss_bytes).compact
    assert_empty samples.select { |sample| sample[:name] == "container" }
  end
end
