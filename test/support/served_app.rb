# frozen_string_literal: true

require "net/http"
require "socket"
require "holdup/loader"
require "holdup/segment/directory"
require_relative "free_ports"
require_relative "other_bundle"

# A real server in a process of its own, with segments in a folder of its own.
class ServedApp
  APPS = File.expand_path("../integration/apps", __dir__)
  ROOT = File.expand_path("../..", __dir__)
  # What `bundle exec ruby` comes to, without the second Ruby that it takes to get there.
  BUNDLE_EXEC_RUBY = %w[bundle exec ruby].freeze
  BUNDLED_RUBY = [RbConfig.ruby, "-rbundler/setup"].freeze
  BUNDLED = [*BUNDLED_RUBY, "-S"].freeze
  OPEN_TIMEOUT = 1
  # Seconds between two looks at it, each of which reads all segments or connects.
  LOOK_S = 0.05
  # Of a Rails application, which else collects garbage for a quarter of its boot: a heap that begins as large
  # as it becomes, by sizes of slots.
  LARGE_HEAP = {"RUBY_GC_HEAP_0_INIT_SLOTS" => "1000000", "RUBY_GC_HEAP_1_INIT_SLOTS" => "500000",
                "RUBY_GC_HEAP_2_INIT_SLOTS" => "150000", "RUBY_GC_HEAP_3_INIT_SLOTS" => "50000",
                "RUBY_GC_HEAP_4_INIT_SLOTS" => "30000"}.freeze
  STOP_SECONDS = 30
  # What still stops computes, if little. One whose processes have neither used nor waited for a CPU for
  # longer than IDLE_CPU_NS in so long is stuck.
  IDLE_SECONDS = 2
  IDLE_CPU_NS = 400_000_000
  # A hot restart stops the server first, and boots it.
  RESTART_SECONDS = 40
  TRIES = 4

  # For a Puma whose workers have to end by themselves: instead of being killed after a second, a worker that
  # hangs makes the server count as stuck.
  LONG_SHUTDOWN = {"SHUTDOWN_TIMEOUT" => "30"}.freeze

  # The server hangs in CRuby 3.4 itself, in one of two ways. It does not stop: IO#close can miss its wake-up
  # for a pipe that a signal handler has just written to, and Puma's shutdown does just that; where another
  # thread lives in the process (docs/guide/puma.md, known trouble), it hangs. Or a child never leaves fork
  # (docs/guide/fork-safety.md).
  Stuck = Class.new(StandardError)

  # Serves, and once more when the server got stuck.
  # @yieldparam app [ServedApp]
  def self.serve(*command, **options, &)
    stuck = nil
    TRIES.times do
      return new(*command, **options).run(&)
    rescue Stuck => stuck
      next
    end
    raise stuck
  end

  attr_reader :root, :dir, :port, :pid

  # @param command [Array<String>] PORT in the environment says where to listen
  def initialize(*command, app:, env: {}, unset: [])
    @root = Dir.mktmpdir
    @dir = env.fetch("HOLDUP_DIR") { File.join(@root, "segments") }
    @port = FreePorts.take
    @command = (command.first(3) == BUNDLE_EXEC_RUBY) ? [*BUNDLED_RUBY, *command.drop(3)] : command
    @app = app
    @env = {
      "PORT" => @port.to_s,
      "HOLDUP_DIR" => @dir,
      "HOLDUP_STORE" => store,
      "HOLDUP_COLLECTOR" => "off",
      "HOLDUP_TICK_SECONDS" => "0.1",
      **(env.key?("BUNDLE_GEMFILE") ? OtherBundle::OF_THE_TESTS : {})
    }.merge(env, unset.to_h { |name| [name, nil] })
  end

  # @return [String] URL of a store of its own; nothing is in it until a collector runs
  def store
    "sqlite://#{File.join(@root, "store.sqlite3")}"
  end

  # @return [Array<String>] names of the requests and jobs that a collector has stored
  def stored
    require "holdup/loader"
    opened = Holdup::Store.open(store)
    opened.windows(0, 2**40).map { |window| window.series.name }
  rescue Holdup::StoreError
    []
  ensure
    opened&.close
  end

  # @yieldparam app [ServedApp] while it serves
  def run
    @pid = Process.spawn(@env, *@command, chdir: File.expand_path(@app, APPS), out: log_path,
      err: %i[child out], in: File::NULL, pgroup: true)
    @group = @pid
    wait { answers? }
    yield self
  ensure
    kill
    FileUtils.remove_entry(@root)
  end

  # @param idle_s [Numeric] for how long it may do nothing before it counts as stuck
  # @return [Process::Status]
  def stop(signal = :TERM, idle_s: IDLE_SECONDS)
    Process.kill(signal, @pid)
    @status = ended(idle_s)
  rescue Errno::ESRCH, Errno::ECHILD
    @status
  ensure
    @pid = nil
  end

  def signal(name) = Process.kill(name, @pid)

  # A hot restart, which a server that is stuck in its shutdown never comes to.
  # @yieldreturn [Object] whether it is over
  # @return [void]
  def wait_for_restart(&over)
    raise Stuck, state unless ends?(RESTART_SECONDS) { within(IDLE_SECONDS, &over) }
  end

  def log = File.read(log_path)

  # The server goes on in another process (a re-exec that forks); that is what `signal` and `stop` mean from
  # now on.
  # @param pid [Integer]
  # @return [void]
  def hand_over(pid)
    Process.detach(@pid)
    @group ||= @pid
    @pid = pid
    @handed_over = true
  end

  # @return [Array<Hash>] {pid:, parent:, state:} of all processes that the server has started and that are
  #   there still, zombies too
  def processes
    Dir["/proc/[0-9]*/stat"].filter_map do |path|
      stat = File.read(path)
      state, parent, group = stat.rpartition(")").last.split
      {pid: stat.to_i, parent: parent.to_i, state:} if group.to_i == @group
    rescue SystemCallError # it has just ended
      nil
    end
  end

  # @return [Array<Holdup::Doctor::Reader::RunningServers::RunningServer>] what the doctor sees of it
  #   in the process table
  def running_servers
    own = processes.map { |process| process[:pid] }
    Holdup::Doctor::Reader::RunningServers.new.call.select { |server| own.include?(server.pid) }
  end

  # @return [Net::HTTPResponse]
  def get(path, headers = {})
    read_timeout = WaitUntil::PATIENCE_S
    Net::HTTP.start("127.0.0.1", @port, read_timeout:) { |http| http.get(path, headers) }
  end

  # @return [String] what the server sent until it closed the connection
  def raw(text)
    TCPSocket.open("127.0.0.1", @port) do |socket|
      socket.write(text)
      socket.read
    end
  end

  # @return [Array<Holdup::Segment::SegmentSnapshot>] of all processes
  def snapshots
    Holdup::Segment::Directory.new(@dir).entries.map { |entry| entry.read(&:snapshot) }
  end

  # @return [Array<Holdup::Segment::DirectoryEntry>] of processes that run and measure
  def live
    entries = Holdup::Segment::Directory.new(@dir).entries
    entries.select { |entry| entry.alive && !entry.read(&:header).closed? && described?(entry) }
  end

  # @return [Array<Integer>] indexes of the workers that run and measure; -1 is a process that is no worker
  def live_workers
    live.map { |entry| entry.read(&:header).worker_index }.sort
  end

  # @return [Hash{String => Integer}] units by name, all processes together
  def counts
    units.each_with_object(Hash.new(0)) { |slot, sums| sums[slot.series.name] += slot.count }
  end

  # @return [Array<Holdup::Segment::Slot>] of requests
  def units
    snapshots.flat_map(&:slots).compact.select { |slot| slot.series.kind == :request }
  end

  # @return [Hash{String => Integer}] what requests or jobs of that name called => how often
  def calls_of(name)
    slots = snapshots.flat_map(&:slots).compact.select { |slot| slot.series.kind == :call }
    called = slots.select { |slot| slot.series.name == name }.group_by { |slot| slot.series.queue }
    called.transform_values { |same| same.sum(&:count) }
  end

  def unit(name)
    units.find { |slot| slot.series.name == name }
  end

  # @param every [Numeric] seconds between two looks
  def wait(timeout = WaitUntil::PATIENCE_S, every: LOOK_S)
    deadline = monotonic_s + timeout
    until (value = yield)
      give_up(timeout) if monotonic_s > deadline
      raise "the server is gone:\n#{log}" if gone?
      IO.select(nil, nil, nil, every)
    end
    value
  end

  private

  # A segment is there a moment before what describes its process. (That is nil while it is written again.)
  def described?(entry)
    entry.read(&:profile) != {}
  end

  # @raise [Stuck] when a child hangs in fork
  def give_up(timeout)
    all = processes.map { |process| {**process, **sleeps(process[:pid])} }
    lost = all.any? { |process| process[:threads] == 1 && process[:in].start_with?("futex") }
    segments = Dir.exist?(@dir) ? Dir.children(@dir).sort : []
    raise (lost ? Stuck : RuntimeError), "nothing after #{timeout} s:\n#{[*segments, state].join("\n")}"
  end

  # @return [String] what its processes do, and its log
  def state
    all = processes.map { |process| {**process, **sleeps(process[:pid])}.inspect }
    [*all, log].join("\n")
  end

  # A Ruby that has come out of fork has two native threads: one is its timer.
  # @return [Hash] number of native threads, and the kernel function that the first one sleeps in
  def sleeps(pid)
    {threads: Dir.children("/proc/#{pid}/task").size, in: File.read("/proc/#{pid}/wchan")}
  rescue SystemCallError # it has just ended
    {threads: 0, in: ""}
  end

  # With all its children: nothing outlives a test.
  def kill
    return unless @group
    Process.kill(:KILL, -@group)
    Process.wait(@group)
  rescue SystemCallError
    nil
  end

  def gone?
    return false unless @pid
    @handed_over ? !running? : Process.wait(@pid, Process::WNOHANG)
  end

  def running?
    Process.kill(0, @pid)
  rescue Errno::ESRCH
    false
  end

  def ended(idle_s)
    return ended_elsewhere(idle_s) if @handed_over
    waiter = Process.detach(@pid)
    return waiter.value if ends? { waiter.join(idle_s) }
    stuck = state
    kill
    raise Stuck, stuck
  end

  # A process that is not a child of ours has no exit status for us.
  def ended_elsewhere(idle_s)
    raise Stuck, state unless ends? { within(idle_s) { !running? } }
  end

  # @yieldreturn [Object] whether it ended, waited for as long as it may be idle
  # @return [Boolean] false for a server that is stuck
  def ends?(timeout = STOP_SECONDS)
    deadline = monotonic_s + timeout
    while monotonic_s < deadline
      before = progress
      return true if yield
      return false if idle_since?(before)
    end
    false
  end

  # A Puma that stops waits for workers that its first worker has forked until the machine's first process has
  # reaped them, which takes some up to seconds: that is not stuck.
  # @param before [Hash{Array => Integer}] what `progress` was
  def idle_since?(before)
    now = progress
    return false unless now.keys == before.keys && orphans.empty? && !runnable?
    now.values.sum - before.values.sum < IDLE_CPU_NS
  end

  # One that waits for a CPU for seconds gets that on its account only when it has one.
  def runnable?
    processes.any? do |process|
      states = Dir["/proc/#{process[:pid]}/task/*/stat"].map { |path| File.read(path).rpartition(")").last }
      states.any? { |state| state.split.first == "R" }
    rescue SystemCallError # it has just ended
      true
    end
  end

  def within(seconds)
    deadline = monotonic_s + seconds
    while monotonic_s < deadline
      return true if yield
      IO.select(nil, nil, nil, 0.02)
    end
    false
  end

  def monotonic_s
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # @return [Hash{Array => Integer}] pid of each process and whether it has ended => its CPU time
  def progress
    processes.to_h { |process| [[process[:pid], process[:state] == "Z"], cpu_ns(process[:pid])] }
  end

  # @return [Array<Hash>] processes that have ended, whose parent had ended before
  def orphans
    all = processes
    pids = [Process.pid, *all.map { |process| process[:pid] }]
    all.select { |process| process[:state] == "Z" && !pids.include?(process[:parent]) }
  end

  # @return [Integer] time that its threads have run or were ready to run while others had the CPUs
  def cpu_ns(pid)
    Dir["/proc/#{pid}/task/*/schedstat"].sum do |path|
      File.read(path).split.first(2).sum(&:to_i)
    rescue SystemCallError # it has just ended
      0
    end
  end

  def log_path = File.join(@root, "log")

  def answers?
    Net::HTTP.start("127.0.0.1", @port, open_timeout: OPEN_TIMEOUT) { |http| http.get("/up").code }
  rescue SystemCallError, EOFError, Net::OpenTimeout
    nil
  end
end
