# frozen_string_literal: true

module Holdup
  module Doctor
    # What one look at the host saw; everything a check may judge.
    #
    # - `ruby`: description of the Ruby that runs the doctor; `unsupported`: why it can't measure, nil when it
    #   can
    # - `clock_source`: "counter" or "monotonic", nil without the extension
    # - `dir`: folder of the segments; `dir_state`: :ok :missing :unreadable; `tmpfs`: true, false, nil when
    #   not known
    # - `segments`: Array of Process; `refused`: messages about files that are no segments we can read
    # - `collector`: whether one holds the lock; `store`: what the store says of itself, or nil and the error
    #   `store_problem`
    # - `machines`: Array of Analysis::Machine of the last hour; `signals`: what it shows of the load
    #   (queued_p95_ns, busy, threads, backlog; nil where unknown); `autoscale_target`: percentage that an
    #   alarm waits for, nil when nobody asks
    # - `skipped`: Array of SkippedRow of the last day, the latest first
    # - `applications`: Analysis::ApplicationShares of the last hour, nil without a store
    # - `lives`: Array of Analysis::WorkerLifetimes of the last hour; `drifts`: Array of
    #   Analysis::SettingChanges::SettingDrift since the last change of setting
    # - `servers`: Array of RunningServers::Server, all that the process table shows
    # - `variables`: names of the environment's variables of this command that look like settings and are none
    # - `now_ns`: nanoseconds since 1970
    Host = Data.define(:ruby, :unsupported, :clock_source, :dir, :dir_state, :tmpfs, :segments, :refused, :collector, :store,
      :store_problem, :machines, :signals, :autoscale_target, :now_ns, :lives, :drifts, :applications, :servers, :variables,
      :skipped) do
      def initialize(machines: [], signals: {}, autoscale_target: nil, lives: [], drifts: [], applications: nil, servers: [],
        variables: [], skipped: [], **rest)
        super
      end

      # @return [Array<Process>]
      def alive = segments.select(&:alive)

      # @return [Integer] a counter over all processes
      def counter(name)
        segments.sum { |segment| segment.counters.fetch(name, 0) }
      end

      # @return [Array<Object>] the values of one fact of the living processes' settings
      def facts(key)
        alive.map { |segment| segment.setting[key] }.uniq
      end
    end

    # One process, as its segment tells. `closed`: it ended in an orderly way; `requests` and `queued`: how
    # many requests it measured, and for how many it knew how long they had been queued; `worker`: index;
    # `profile`: server, pools and levers (docs/segment.md); `gauges`: as of its last tick; `born_ns`: when
    # its segment was made; `ring_share`: of one core, what the ring costs in which it waits for something to
    # capture; nil where it does not.
    Host::HostProcess = Data.define(:pid, :alive, :closed, :heartbeat_ns, :setting, :counters, :requests,
      :queued, :worker, :profile, :gauges, :born_ns, :ring_share) do
      def initialize(worker: nil, profile: {}, gauges: {}, born_ns: 0, ring_share: nil, **rest)
        super
      end

      # @return [Analysis::JitReport::JitFacts]
      def jit
        Analysis::JitReport::JitFacts.of(setting, profile, gauges)
      end
    end
  end
end
