# frozen_string_literal: true

module Holdup
  module View
    # The part of the JSON that comes from samples of processes, and who stalled whom.
    class JsonMachine
      include JsonValues

      # @param summary [Holdup::Analysis::Summary]
      def initialize(summary)
        @summary = summary
      end

      # @return [Hash]
      def to_h
        {pairs:, machines:, pools:, pool_cpu:, processes:}
      end

      private

      def pairs
        @summary.pairs.map do |pair|
          {causer: series(pair.causer), victim: series(pair.victim), stall_ns: pair.about_ns, least_ns: pair.least_ns, most_ns: pair.most_ns,
           share: pair.share.round(4), informative: pair.informative?}
        end
      end

      def series(series)
        {name: clean(series.name), kind: series.kind, queue: series.queue && clean(series.queue)}
      end

      def machines
        @summary.processes.machines.map do |machine|
          {host: clean(machine.host), vcpus: machine.vcpus, processes: machine.processes, cpu_share: machine.cpu_share&.round(4), ceiling: ceiling(machine.ceiling),
           throttled_share: machine.throttled_share&.round(4), throttled_ns: machine.throttled_ns, memory_bytes: machine.memory_bytes,
           memory_limit_bytes: machine.memory_limit_bytes}
        end
      end

      def ceiling(ceiling)
        ceiling && {low: ceiling.low.round(4), high: ceiling.high.round(4), idle_vcpus: ceiling.idle_vcpus.round(4),
                    native_ratio: ceiling.native_ratio.round(4), processes_needed: ceiling.processes_needed}
      end

      def pools
        @summary.processes.pools.map do |pool|
          {server: pool.server && clean(pool.server), name: clean(pool.name), processes: pool.size.round(2), max: pool.max&.round(2), busy: pool.busy&.round(2),
           backlog: pool.backlog&.round(2), most_backlog: pool.most_backlog, oldest_ns: pool.oldest_ns}
        end
      end

      def pool_cpu
        @summary.pool_cpu.map do |line|
          {server: line.server && clean(line.server), kind: line.kind, name: line.name && clean(line.name),
           units: line.units, cpu_share: line.cpu_share.round(4)}
        end
      end

      def processes
        @summary.processes.members.map do |member|
          {host: clean(member.host), pid: member.pid, name: clean(member.name), server: member.server && clean(member.server), generation: member.generation,
           setting: member.setting, from: time(member.from_s), to: time(member.to_s), cpu_share: member.cpu_share&.round(4), waiting_share: member.waiting_share&.round(4),
           waiting_threads: member.waiting&.round(2), gc_share: member.gc_share&.round(4), age_s: member.age_s,
           rss_bytes: member.rss_bytes, pss_bytes: member.pss_bytes, uss_bytes: member.uss_bytes, redis_rtt_ns: member.redis_rtt_ns, pools: member.pools.map(&:to_h)}
        end
      end
    end
  end
end
