# frozen_string_literal: true

module Holdup
  module Doctor
    # Looks at the host and judges nothing. Whatever can't be looked at becomes a fact, never an error: the
    # doctor is asked when things are broken.
    class Examination
      HOUR_S = 3600
      DAY_S = 86_400

      # @param dir [String] folder of the segments
      # @param clock [Holdup::Clock]
      # @param open_store [#call] opens the store to read; may raise a Holdup::Error
      # @param segments [#call] dir, now_ns => [Array<Host::HostProcess>, Array<String>]: the segments and
      #   what was refused
      # @param autoscale_target [Integer, nil] percentage of CPU that somebody wants to be woken at
      # @param env [#keys] the environment
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

      # @return [Host]
      def call
        found, refused = segments
        variables = Configuration::Variables.unknown(@env)
        Host.new(**ruby, **@folder.to_h, **store, segments: found, refused:, servers: @servers.call, variables:,
          autoscale_target: @autoscale_target, now_ns: @clock.realtime_ns)
      end

      private

      def ruby
        {ruby: RUBY_DESCRIPTION, unsupported: Probe.unsupported_reason,
         clock_source: Probe.supported? ? Probe.clock_source : nil}
      end

      def segments
        (@folder.state == :ok) ? @segments.call(@folder.dir, @clock.realtime_ns) : [[], []]
      end

      def store
        store = @open_store.call
        from_s, to_s = hour
        summary = Queries::LoadSummary.call(store, from_s:, to_s:)
        {store: store.health, machines: summary.processes.machines, signals: signals(summary), applications: summary.applications,
         lives: Analysis::WorkerLifetimes.of(store.processes(from_s, to_s)), drifts: Queries::SettingHistory.drifts(store, @clock.realtime_s),
         skipped: skipped(store), store_problem: nil}
      rescue Error => error
        {store: nil, store_problem: error}
      ensure
        store&.close
      end

      # The last one.
      def hour
        @clock.realtime_s.then { |to_s| [to_s - HOUR_S, to_s] }
      end

      def skipped(store)
        store.skipped_rows.select { |row| row.at_s > @clock.realtime_s - DAY_S }
      end

      def signals(summary)
        pools = summary.processes.pools
        {queued_p95_ns: Analysis::CpuCeiling::QueueAlarm.p95_ns(summary.total.histogram(:queued)), **%i[busy backlog].to_h { |key| [key, sum(pools.filter_map(&key))] },
         threads: sum(pools.select(&:busy).filter_map(&:max))}
      end

      def sum(known)
        known.any? ? known.sum : nil
      end
    end
  end
end
