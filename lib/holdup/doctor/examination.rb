# frozen_string_literal: true

module Holdup
  module Doctor
    # Looks at the host, judges nothing. A failed look becomes a fact, never an error.
    class Examination
      HOUR_S = 3600
      DAY_S = 86_400

      # @param open_store [#call] opens the store to read; may raise a Holdup::Error
      # @param segments [#call] dir, now_ns => [Array<Host::HostProcess>, Array<String>]: segments, and
      #   messages about unreadable files
      # @param autoscale_target [Integer, nil] CPU percentage of an alarm
      # @param proc [String] where /proc is
      def initialize(dir:, clock:, open_store:, segments:, autoscale_target: nil, env: {}, proc: "/proc")
        @folder = FolderFacts.new(dir, proc:)
        @servers = RunningServers.new(proc:)
        @env = env
        @clock = clock
        @open_store = open_store
        @segments = segments
        @autoscale_target = autoscale_target
      end

      def call
        read, refused = segments
        variables = Configuration::Variables.unknown(@env)
        Host.new(**ruby, **@folder.to_h, **store, segments: read, refused:, servers: @servers.call,
          variables:, autoscale_target: @autoscale_target, now_ns: @clock.realtime_ns)
      end

      private

      def ruby
        clock_source = Probe.clock_source if Probe.supported?
        {ruby: RUBY_DESCRIPTION, unsupported: Probe.unsupported_reason, clock_source:}
      end

      def segments
        (@folder.state == :ok) ? @segments.call(@folder.dir, @clock.realtime_ns) : [[], []]
      end

      def store
        store = @open_store.call
        to_s = @clock.realtime_s
        from_s = to_s - HOUR_S
        summary = Queries::LoadSummary.call(store, from_s:, to_s:)
        lives = Analysis::WorkerLifetimes.of(store.processes(from_s, to_s))
        drifts = Queries::SettingHistory.drifts(store, to_s)
        {**load(summary), store: store.health, lives:, drifts:, skipped: skipped(store), store_problem: nil}
      rescue Error => error
        {store: nil, store_problem: error}
      ensure
        store&.close
      end

      def load(summary)
        {machines: summary.processes.machines, applications: summary.applications, signals: signals(summary)}
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

        # @return [Symbol] :ok :missing :unreadable
        def state
          return :missing unless File.directory?(@dir)
          (File.readable?(@dir) && File.executable?(@dir)) ? :ok : :unreadable
        end

        def to_h
          {dir: @dir, dir_state: state, tmpfs:, collector: Segment::Directory.new(@dir).collected?}
        end

        # @return [Boolean, nil] whether the segments are in memory; nil if /proc does not say
        def tmpfs
          return unless state == :ok
          return true if links_only?
          real = File.realpath(@dir).b
          holding = mounts.select { |point, _| inside?(real, point) }
          _, type = holding.max_by { |point, _| point.size }
          type && %w[tmpfs ramfs].include?(type)
        end

        private

        # Without a tmpfs the folder only links to the memory of the processes.
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
    end
  end
end
