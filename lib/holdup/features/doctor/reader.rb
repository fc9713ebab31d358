# frozen_string_literal: true

require "etc"

module Holdup
  module Doctor
    # Looks at the host, judges nothing. A failed look becomes a fact, never an error.
    class Reader
      # @param open_store [#call] opens the store to read; may raise a Holdup::Error
      # @param segments [#call] dir, now_ns => [Array<Checks::Host::HostProcess>, Array<String>]: segments,
      #   and messages about unreadable files
      # @param autoscale_target [Integer, nil] CPU percentage of an alarm
      # @param proc [String] where /proc is
      def initialize(dir:, clock:, open_store:, segments:, autoscale_target: nil, env: {}, proc: "/proc")
        @folder = FolderFacts.new(dir, proc:)
        @servers = RunningServers.new(proc:)
        @nameless = NamelessSegments.new(dir, proc:)
        @env = env
        @clock = clock
        @open_store = open_store
        @segments = segments
        @autoscale_target = autoscale_target
      end

      def call
        read, refused = segments
        variables = Configuration::Variables.unknown(@env)
        Checks::Host.new(**ruby, **@folder.to_h, **store, segments: read, refused:, nameless: @nameless.call,
          servers: @servers.call, variables:, autoscale_target: @autoscale_target, now_ns: @clock.realtime_ns)
      end

      private

      def ruby
        clock_source = Probe.clock_source if Probe.supported?
        {ruby: RUBY_DESCRIPTION, unsupported: Probe.unsupported_reason, clock_source:}
      end

      def segments
        @folder.readable? ? @segments.call(@folder.dir, @clock.realtime_ns) : [[], []]
      end

      def store
        store = Queries::RequestCache.new(@open_store.call)
        to_s = @clock.realtime_s
        from_s = to_s - HOUR_S
        lives = Analysis::JitReport::ProcessLife::WorkerLifetimes.of(store.processes(from_s, to_s))
        summary = Queries::LoadSummary.call(store, from_s:, to_s:, &:parts_of_machines)
        drifts = Compare::DriftReader.call(store, to_s)
        {**load(summary), store: store.health, lives:, drifts:, skipped: skipped(store), store_problem: nil}
      rescue Error => error
        {store: nil, store_problem: error}
      ensure
        store&.close
      end

      def load(summary)
        {machines: summary.machines, applications: summary.applications, signals: signals(summary)}
      end

      def skipped(store)
        store.skipped_rows.select { |row| row.at_s > @clock.realtime_s - DAY_S }
      end

      def signals(summary)
        pools = summary.processes.pools
        {queued_p95_ns: Analysis::CpuCeiling::QueueAlarm.p95_ns(summary.total.histogram(:queued)),
         busy: sum(pools.filter_map(&:busy)), backlog: sum(pools.filter_map(&:backlog)),
         threads: sum(pools.select(&:busy).filter_map(&:max))}
      end

      def sum(known)
        known.any? ? known.sum : nil
      end

      # The folder of the segments: whether it exists, is in memory, and whether a collector holds its lock.
      class FolderFacts
        attr_reader :dir

        def initialize(dir, proc: "/proc")
          @dir = dir
          @proc = proc
        end

        # State of the folder as the processes of this user meet it. They measure nothing where they can't
        # have a folder of their own: a file or link has its name, it is another user's, or the file system is
        # read-only.
        #
        # @return [Symbol] :ok :missing :unmakeable :foreign :unreadable :unwritable
        def state
          found = File.lstat(@dir)
          return :foreign unless found.directory?
          return :unreadable unless File.readable?(@dir) && File.executable?(@dir)
          return :foreign unless found.owned? || Process.euid.zero?
          File.writable?(@dir) ? :ok : :unwritable
        rescue Errno::EACCES
          :unreadable
        rescue SystemCallError
          makeable? ? :missing : :unmakeable
        end

        # Whether its segments can be read.
        def readable? = %i[ok unwritable].include?(state)

        def to_h
          folder = Segment::Directory.new(@dir)
          {dir: @dir, dir_state: state, tmpfs:, collector: folder.collected?,
           troubles: folder.collector_troubles}
        end

        # @return [Boolean, nil] whether the segments are in memory; nil if /proc does not say
        def tmpfs
          return unless readable?
          return true if links_only?
          real = File.realpath(@dir).b
          holding = mounts.select { |point, _| inside?(real, point) }
          _, type = holding.max_by { |point, _| point.size }
          type && %w[tmpfs ramfs].include?(type)
        end

        private

        # Whether it can be made in the first folder above it that is there.
        def makeable?
          above = File.dirname(@dir)
          above = File.dirname(above) until File.exist?(above) || File.symlink?(above)
          File.directory?(above) && File.writable?(above)
        end

        # The folder only links to the memory of the processes where there is no tmpfs.
        def links_only?
          segments = Dir.glob("*.segment", base: @dir)
          segments.any? && segments.all? { |name| File.symlink?(File.join(@dir, name)) }
        end

        # @return [Array<(String, String)>] mount point and type
        def mounts
          File.binread("#{@proc}/mounts").lines.map { |line| line.split.values_at(1, 2) }
        rescue SystemCallError
          []
        end

        def inside?(path, point)
          path == point || path.start_with?("#{point.delete_suffix("/")}/")
        end
      end

      # This user's processes that measure into a segment that others have removed from the folder: no
      # collector can find it.
      class NamelessSegments
        NAME = %r{ (/\S.*)/\d+-\d+(?:-\d+)?\.segment \(deleted\)$}

        # @param uid [Integer] owner of the processes
        def initialize(dir, proc: "/proc", uid: Process.euid)
          @dir = dir
          @proc = proc
          @uid = uid
        end

        # @return [Array<Integer>] pids
        def call
          pids = Dir.children(@proc).grep(/\A\d+\z/).map(&:to_i).sort
          pids.select { |pid| nameless?(pid) }
        rescue SystemCallError
          []
        end

        private

        def nameless?(pid)
          folder = File.join(@proc, pid.to_s)
          return false unless File.stat(folder).uid == @uid
          maps = File.binread(File.join(folder, "maps"))
          maps.include?(".segment (deleted)") && dirs.include?(maps.scrub[NAME, 1])
        rescue SystemCallError
          false
        end

        # The folder as it was named, and as the kernel names it. It may be missing.
        def dirs = @dirs ||= [File.expand_path(@dir), real].compact

        def real
          File.realdirpath(@dir)
        rescue SystemCallError
          nil
        end
      end

      # This user's processes that take requests or jobs, from the process table, with Holdup or without. A
      # master or supervisor that has workers takes none and is left out.
      class RunningServers
        # `age_s`: how long it has run; `loaded`: whether Holdup's extension is in its memory; `measures`:
        # whether it has a segment open; `dir`: folder of that segment, nil if it has no name
        RunningServer = Data.define(:pid, :name, :age_s, :loaded, :measures, :dir)

        Kind = Holdup::Servers::Adapter::ServerKind
        # Those without an adapter: Holdup measures them where Rails loads it, or the application starts it.
        OTHERS = [
          Kind.new(name: "karafka", programs: %w[karafka]),
          Kind.new(name: "shoryuken", programs: %w[shoryuken]),
          Kind.new(name: "rake", task: RailsProgram::JOB_TASK)
        ].freeze
        KINDS = [*Holdup::Servers::ADAPTERS.each_value.map(&:kind), *OTHERS].freeze
        EXTENSION = %r{/holdup\.(?:so|bundle)$}
        SEGMENT = %r{ (/\S.*)/\d+-\d+(?:-\d+)?\.segment}
        NAMELESS_SEGMENT = "/memfd:holdup segment"

        ProcessRow = Data.define(:pid, :parent, :title, :program, :arguments, :start) do
          def worker_of?(kind) = kind.worker&.match?(title)

          def alone?(kind)
            kind.alone&.match?(title) || kind.programs.include?(program) || task?(kind)
          end

          # `rails` passes the names of tasks on to Rake.
          def task?(kind)
            kind.task && RAKES.include?(program) && arguments.any?(kind.task)
          end
        end
        RAKES = %w[rake rails].freeze

        # @param uid [Integer] owner of the processes
        # @param ticks_per_s [Integer] unit of times in /proc
        # @param kinds [Array<ServerKind>] those with an adapter first
        def initialize(proc: "/proc", uid: Process.euid, ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK),
          kinds: KINDS)
          @proc = proc
          @kinds = kinds
          @uid = uid
          @ticks_per_s = ticks_per_s
        end

        # A process that looks like several kinds is of the first.
        def call
          uptime_s = read("uptime").to_s.to_f
          table = rows
          found = @kinds.flat_map { |kind| of(kind, table) }
          known = found.uniq { |_, row| row.pid }.sort_by { |_, row| row.pid }
          known.filter_map { |kind, row| server(kind, row, uptime_s) }
        end

        private

        def of(kind, table)
          workers = table.select { |row| row.worker_of?(kind) }
          alone = table.select { |row| row.alone?(kind) }
          workers += children(alone, table) if kind.children
          parents = workers.map(&:parent)
          singles = alone.reject { |row| parents.include?(row.pid) }
          (workers + singles).uniq.map { |row| [kind, row] }
        end

        def children(parents, table)
          pids = parents.map(&:pid)
          table.select { |row| pids.include?(row.parent) && row.program != "holdup" }
        end

        def server(kind, row, uptime_s)
          maps = read(row.pid, "maps") or return
          dir = maps[SEGMENT, 1]
          age_s = uptime_s - row.start.fdiv(@ticks_per_s)
          RunningServer.new(pid: row.pid, name: kind.name, age_s:, dir:, loaded: maps.match?(EXTENSION),
            measures: !!dir || maps.include?(NAMELESS_SEGMENT))
        end

        def rows
          pids = Dir.children(@proc).grep(/\A\d+\z/).map(&:to_i).sort
          pids.filter_map { |pid| row(pid) if mine?(pid) }
        rescue SystemCallError
          []
        end

        def mine?(pid)
          File.stat(File.join(@proc, pid.to_s)).uid == @uid
        rescue SystemCallError
          false
        end

        # Fields 4 and 22 of stat: the parent, and its start in ticks since the machine's.
        def row(pid)
          words = read(pid, "cmdline").to_s.split("\0").reject(&:empty?)
          fields = read(pid, "stat").to_s.rpartition(")").last.split
          return if words.empty? || fields.size < 20
          parent, start = fields.values_at(1, 19).map(&:to_i)
          program, *arguments = command(words)
          ProcessRow.new(pid:, parent:, title: words.join(" "), program:, arguments:, start:)
        end

        # The program that Ruby runs, and its arguments: of `ruby -W0 bin/falcon host`, of
        # `bundle exec falcon host`, or of the title, in which Bundler has both in one.
        def command(words)
          ruby = File.basename(words.first).start_with?("ruby")
          words = words.drop(1).drop_while { |word| word.start_with?("-") } if ruby
          words = words.drop(2) if File.basename(words.first.to_s) == "bundle" && words[1] == "exec"
          program, *arguments = words.first.to_s.split
          [File.basename(program.to_s), *arguments, *words.drop(1)]
        end

        def read(*path)
          File.binread(File.join(@proc, *path.map(&:to_s))).scrub
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
