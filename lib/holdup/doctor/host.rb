# frozen_string_literal: true

module Holdup
  module Doctor
    # All facts that a check may judge, as of one examination.
    #
    # - `ruby`: description of the doctor's Ruby; `unsupported`: why it can't measure, else nil
    # - `clock_source`: "counter" or "monotonic", nil without the extension
    # - `dir`: folder of the segments; `dir_state`: :ok :missing :unreadable; `tmpfs`: nil if not known
    # - `segments`: Array of HostProcess; `refused`: messages about unreadable segment files
    # - `collector`: whether one holds the lock; `store`: Hash of its health, or nil and `store_problem`
    # - of the last hour: `machines` (Array of Analysis::Machine), `signals` (load: queued_p95_ns, busy,
    #   threads, backlog; nil if unknown), `applications` (Analysis::ApplicationShares, nil without a store),
    #   `lives` (Array of Analysis::WorkerLifetimes)
    # - `autoscale_target`: CPU percentage of an alarm, nil if not asked
    # - `skipped`: Array of SkippedRow of the last day, latest first
    # - `drifts`: Array of Analysis::SettingChanges::SettingDrift since the last change of setting
    # - `variables`: names in the command's environment that look like settings and are not
    # - `now_ns`: nanoseconds since 1970
    Host = Data.define(
      :ruby, :unsupported, :clock_source, :dir, :dir_state, :tmpfs, :segments, :refused, :collector, :store,
      :store_problem, :machines, :signals, :autoscale_target, :now_ns, :lives, :drifts, :applications,
      :servers, :variables, :skipped
    ) do
      def initialize(machines: [], signals: {}, autoscale_target: nil, lives: [], drifts: [],
        applications: nil, servers: [], variables: [], skipped: [], **rest)
        super
      end

      def alive = segments.select(&:alive)

      def counter(name)
        segments.sum { |segment| segment.counters.fetch(name, 0) }
      end

      def facts(key)
        alive.map { |segment| segment.setting[key] }.uniq
      end
    end

    # One process, by its segment.
    #
    # - `closed`: it ended in an orderly way; `worker`: index, or nil
    # - `requests`: measured requests; `queued`: those with a known queue time
    # - `profile`: server, pools and levers (docs/segment.md); `gauges`: as of its last tick
    # - `heartbeat_ns`, `born_ns` (when its segment was made): nanoseconds since 1970
    # - `ring_share`: CPU cost of the waiting capture ring as a share of one core; nil without one
    Host::HostProcess = Data.define(:pid, :alive, :closed, :heartbeat_ns, :setting, :counters, :requests,
      :queued, :worker, :profile, :gauges, :born_ns, :ring_share) do
      def initialize(worker: nil, profile: {}, gauges: {}, born_ns: 0, ring_share: nil, **rest)
        super
      end

      def jit
        Analysis::JitReport::JitFacts.of(setting, profile, gauges)
      end
    end
  end
end
