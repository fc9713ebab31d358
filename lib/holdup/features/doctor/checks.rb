# frozen_string_literal: true

module Holdup
  module Doctor
    # What is measured on this host, what is missing, and why a number may be wrong. The Reader looks at the
    # host and fills a Host; the checks judge it, so each can be tested alone.
    #
    # A check is `call(host)`, which returns a CheckResult, several, or [] if it does not apply. A new check
    # goes into doctor/*_checks.rb by theme, and into doctor/feature.rb. Their places there follow the way of
    # the measurements: what breaks first comes first.
    module Checks
      # `level` is :ok, :warn or :fail; `key` names the sentence (`doctor_<key>`) and the remedy
      # (`doctor_<key>_fix`, none for :ok); `facts` fill them in.
      CheckResult = Data.define(:level, :key, :facts) do
        def self.ok(key, **facts)
          new(level: :ok, key:, facts:)
        end

        def self.warn(key, **facts)
          new(level: :warn, key:, facts:)
        end

        def self.fail(key, **facts)
          new(level: :fail, key:, facts:)
        end

        def ok? = level == :ok

        def fail? = level == :fail
      end

      def self.call(host)
        Features.checks.flat_map { |check| check.call(host) }
      end

      # All facts that a check may judge, as of one examination.
      #
      # - `ruby`: description of the doctor's Ruby; `unsupported`: why it can't measure, else nil
      # - `clock_source`: "counter" or "monotonic", nil without the extension
      # - `dir`: folder of the segments; `dir_state`: see Reader::FolderFacts#state; `tmpfs`: nil if not
      #   known
      # - `segments`: Array of HostProcess; `refused`: messages about unreadable segment files; `nameless`:
      #   pids of living processes whose segment was removed from the folder
      # - `collector`: whether one holds the lock; `troubles`: what it says does not work, a message for each
      #   subject (:store, :spool, :capture); `store`: Hash of its health, or nil and `store_problem`
      # - of the last hour: `machines` (Array of Analysis::Machine), `signals` (load: queued_p95_ns, busy,
      #   threads, backlog; nil if unknown), `applications` (Analysis::ApplicationShares, nil without a
      #   store), `lives` (Array of Analysis::JitReport::ProcessLife::WorkerLifetimes)
      # - `autoscale_target`: CPU percentage of an alarm, nil if not asked
      # - `skipped`: Array of SkippedRow of the last day, latest first
      # - `drifts`: Array of Compare::SettingDrift since the last change of setting
      # - `variables`: names in the command's environment that look like settings and are not
      # - `now_ns`: nanoseconds since 1970
      Host = Data.define(
        :ruby, :unsupported, :clock_source, :dir, :dir_state, :tmpfs, :segments, :refused, :collector, :store,
        :store_problem, :machines, :signals, :autoscale_target, :now_ns, :lives, :drifts, :applications,
        :servers, :variables, :skipped, :nameless, :troubles
      ) do
        def initialize(machines: [], signals: {}, autoscale_target: nil, lives: [], drifts: [],
          applications: nil, servers: [], variables: [], skipped: [], nameless: [], troubles: {}, **rest)
          super
        end

        def alive = segments.select(&:alive)

        # Such processes need no proxy, no JIT and no others beside them.
        def development?
          environments = facts("environment")
          environments.any? && (environments - Analysis::JitReport::ProcessLife::LOCAL).empty?
        end

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
      # - `profile`: server, pools and levers (docs/internals/segment.md); `gauges`: as of its last tick
      # - `heartbeat_ns`, `born_ns` (when its segment was made): nanoseconds since 1970
      # - `ring_share`: CPU cost of the waiting capture ring as a share of one core; nil without one
      # - `open_units`, `gvl`, `pools`: requests and jobs that run, who holds the GVL, and the pools of its
      #   threads, see Segment::Reader and Segment::Header; `read_ns`: when, nanoseconds since 1970
      Host::HostProcess = Data.define(:pid, :alive, :closed, :heartbeat_ns, :setting, :counters, :requests,
        :queued, :worker, :profile, :gauges, :born_ns, :ring_share, :open_units, :gvl, :pools, :read_ns) do
        def initialize(worker: nil, profile: {}, gauges: {}, born_ns: 0, ring_share: nil, open_units: [],
          gvl: nil, pools: [], read_ns: 0, **rest)
          super
        end

        def jit
          Analysis::JitReport::JitFacts.of(setting, profile, gauges)
        end
      end
    end
  end
end
