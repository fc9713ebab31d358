# frozen_string_literal: true

require "etc"
require "json"
require_relative "simulated_host"

module Bench
  # Processes that commit what many hosts have measured, minute after minute, and one that rolls up and prunes
  # meanwhile, as one of the collectors does.
  class FleetWriters
    # More than this machine has cores, so that commits meet in the server.
    WRITERS = 4
    MINUTE_S = 60
    TICKS = 6
    # For which processes have run: longer than the time before is that OlderTime adds.
    RUNNING_S = 31 * 86_400

    # What came of it. `commits`: seconds of each; `rows`: windows; `elapsed_s`: while commits were made;
    # `server_s`, `writers_s`: CPU; `bytes`: of the server's folder; `rollup_s`: the longest; `locked`:
    # commits that had to be made again
    Written = Data.define(:commits, :rows, :elapsed_s, :server_s, :writers_s, :bytes, :rollup_s, :locked) do
      def p95_s = percentile(0.95)

      def percentile(share) = commits.sort[(commits.size * share).ceil - 1]

      # @return [Array<String>] as the bench's table has them
      def cells
        times = [percentile(0.5), p95_s, commits.max].map { |one| format("%.0f", one * 1000) }
        [format("%.0f", rows / elapsed_s), format("%.1f", commits.size / elapsed_s), *times,
          format("%.1f", server_s * 1000 / commits.size), format("%.0f", bytes.fdiv(rows)),
          format("%.1f", rollup_s), format("%.1f", writers_s * 1000 / commits.size)]
      end
    end

    # @param url [String] of the store
    # @param plan [Fleet::FleetPlan]
    # @param server [ServerProcess]
    # @param end_s [Integer] end of the simulated time
    def initialize(url, plan, server:, end_s:)
      @url = url
      @plan = plan
      @server = server
      @from_s = end_s - plan.minutes * MINUTE_S
      @end_s = end_s
    end

    # @return [Written]
    def call
      before_s = ServerCpuTime.cpu_s(@server.pid)
      before_bytes = bytes
      start
      elapsed_s = (@from_s...@end_s).step(MINUTE_S).sum { |minute_s| minute(minute_s) }
      rollups = [@rollup_s, upkeep(@end_s)].max
      done = stop
      Written.new(**done, elapsed_s:, server_s: ServerCpuTime.cpu_s(@server.pid) - before_s,
        bytes: bytes - before_bytes, rollup_s: rollups)
    ensure
      @children&.each { |child| discard(child) }
    end

    private

    def start
      SimulatedHost::PlayedHost.checkpoint
      ticks = [MINUTE_S, *(MINUTE_S / TICKS if @plan.ticks.positive?)]
      ticks.each { |seconds| draw(seconds) } # before the processes fork, which then share it
      hosts = Array.new(@plan.hosts) { |index| SimulatedHost.new(index, since_s: @from_s - RUNNING_S) }
      shares = hosts.each_with_index.group_by { |_, index| index % WRITERS }.values
      @writers = shares.map { |share| child(HostsWriter.new(@url, share.map(&:first))) }
      @upkeep = child(StoreKeeper.new(@url))
      @children = [*@writers, @upkeep]
      @rollup_s = 0
    end

    def draw(seconds)
      SimulatedHost::VARIANTS.times { |variant| SimulatedHost::PlayedHost.of(variant, seconds) }
    end

    # @return [Float] seconds that the commits of all hosts took
    def minute(minute_s)
      ask(@upkeep, minute_s)
      seconds = (minute_s >= @end_s - @plan.ticks * MINUTE_S) ? MINUTE_S / TICKS : MINUTE_S
      before_s = now_s
      (minute_s...minute_s + MINUTE_S).step(seconds) do |from_s|
        @writers.each { |writer| ask(writer, [from_s, seconds]) }
        @writers.each { |writer| answer(writer) }
      end
      elapsed_s = now_s - before_s
      @rollup_s = [@rollup_s, answer(@upkeep)].max
      elapsed_s
    end

    def upkeep(second)
      ask(@upkeep, second)
      answer(@upkeep)
    end

    def stop
      @children.each { |one| ask(one, "end") }
      found = @writers.map { |one| answer(one) }
      {commits: found.flat_map { |one| one["commits"] }, rows: found.sum { |one| one["rows"] },
       writers_s: found.sum { |one| one["cpu_s"] }, locked: found.sum { |one| one["locked"] }}
    end

    def ask(child, what)
      child.puts(JSON.generate(what))
      child.flush
    end

    def answer(child)
      line = child.gets or raise Failure, "fleet: a writer failed"
      JSON.parse(line)
    end

    def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def bytes = Dir.glob("#{@server.folder}/**/*").sum { |path| File.file?(path) ? File.size(path) : 0 }

    # Each has the others' pipes, so closing them alone would end none.
    def discard(child)
      Process.kill(:KILL, child.pid)
      child.close
    rescue Errno::ESRCH
      nil
    end

    # @param worker [#call] in a process of its own: answers each line of its input with one
    # @return [IO]
    def child(worker)
      io = IO.popen("-", "r+")
      return io if io
      begin
        $stdout.sync = true
        worker.call
        exit!(true)
      rescue => error
        warn error.full_message
        exit!(false)
      end
    end

    # The collectors of some hosts, one after the other.
    class HostsWriter
      TRIES = 20

      def initialize(url, hosts)
        @url = url
        @hosts = hosts
        @commits = []
        @rows = 0
        @locked = 0
      end

      def call
        @store = Holdup::Store.open(@url)
        before_s = cpu_s
        while (asked = JSON.parse($stdin.gets)) != "end"
          @hosts.each { |host| commit(host, *asked) }
          puts "1"
        end
        puts JSON.generate(commits: @commits, rows: @rows, locked: @locked, cpu_s: cpu_s - before_s)
      end

      private

      def cpu_s = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

      # A collector that finds the store locked commits the same at its next tick.
      def commit(host, from_s, seconds)
        windows, checkpoints, rows = host.commit(from_s, seconds)
        before_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        TRIES.times do
          break if stored?(windows, checkpoints, rows)
          @locked += 1
        end
        @commits << Process.clock_gettime(Process::CLOCK_MONOTONIC) - before_s
        @rows += windows.size
        host.committed
      end

      def stored?(windows, checkpoints, rows)
        @store.commit(windows, checkpoints, **rows)
        true
      rescue Holdup::StoreError::Locked
        false
      end
    end

    # Rolls up and prunes as of each second that it reads.
    class StoreKeeper
      def initialize(url)
        @url = url
      end

      def call
        store = Holdup::Store.open(@url)
        while (second = JSON.parse($stdin.gets)) != "end"
          before_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          keep(store, second)
          puts Process.clock_gettime(Process::CLOCK_MONOTONIC) - before_s
        end
      end

      private

      # When commits take too long, a collector does it a minute later.
      def keep(store, second)
        store.rollup(second)
        store.prune(second)
      rescue Holdup::StoreError::Locked
        nil
      end
    end

    # CPU time of a server: of its process and all that it has forked.
    module ServerCpuTime
      PARENT = 1
      TIMES = 11..14 # user and system, its own and of children that have ended

      def self.cpu_s(pid)
        stats = Dir["/proc/[0-9]*/stat"].to_h { |path| [path[/\d+/].to_i, fields(path)] }.compact
        tree = [pid]
        tree.each { |one| stats.each { |child, fields| tree << child if fields[PARENT].to_i == one } }
        ticks = tree.sum { |one| stats.fetch(one, []).values_at(*TIMES).sum(&:to_i) }
        ticks.fdiv(Etc.sysconf(Etc::SC_CLK_TCK))
      end

      def self.fields(path)
        File.read(path).rpartition(")").last.split
      rescue SystemCallError
        nil
      end
      private_class_method :fields
    end
  end
end
