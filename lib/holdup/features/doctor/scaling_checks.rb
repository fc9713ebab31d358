# frozen_string_literal: true

module Holdup
  module Doctor
    module ScalingChecks
      # Whether threads that need a CPU get one; else every time that is measured here is too long.
      module FreeCpus
        def self.call(host)
          shortages = host.machines.filter_map { |machine| Analysis::CpuShortage.of_machine(machine) }
          shortages.map do |shortage|
            Checks::CheckResult.warn(:"no_cpu_#{shortage.culprit}", host: shortage.machine.host,
              percent: (100 * shortage.share).round)
          end
        end
      end

      # Whether the processes can use the container's CPUs, so whether an alarm on CPU % can fire, and what to
      # scale on otherwise.
      module Autoscale
        def self.call(host)
          machine = host.machines.select(&:ceiling).min_by { |each| each.ceiling.low }
          return (host.development? ? [] : unused_cpus(machine)) unless host.autoscale_target
          unless machine
            return Checks::CheckResult.warn(:autoscale_unknown,
              target: "#{host.autoscale_target} %")
          end
          alarm(machine, host)
        end

        # Finds only CPUs that are certainly wasted, because there is no question about an alarm.
        def self.unused_cpus(machine)
          return [] unless machine&.ceiling&.low? && machine.processes < machine.vcpus.floor
          Checks::CheckResult.warn(:ceiling, **facts(machine))
        end

        def self.alarm(machine, host)
          facts = {**facts(machine), target: "#{host.autoscale_target} %"}
          case machine.ceiling.alarm(host.autoscale_target / 100.0)
          when :fires then Checks::CheckResult.ok(:autoscale_fires, **facts)
          when :unsure then [Checks::CheckResult.warn(:autoscale_unsure, **facts), signal(host.signals)]
          when :never then [Checks::CheckResult.warn(:autoscale_never, **facts), signal(host.signals)]
          end
        end

        def self.facts(machine)
          ceiling = machine.ceiling
          percents = [ceiling.low, ceiling.high].map { |share| (share * 100).round }.uniq
          {host: machine.host, vcpus: ceiling.vcpus.round(2).to_s.delete_suffix(".0"),
           processes: ceiling.processes, range: "#{percents.join("-")} %", needed: ceiling.processes_needed}
        end

        # Queue time is the best signal; a backlog is only seen at moments.
        def self.signal(signals)
          p95_ns, busy, threads, backlog = signals.values_at(:queued_p95_ns, :busy, :threads, :backlog)
          return scale_on_queued(p95_ns) if p95_ns
          if busy && threads
            return Checks::CheckResult.ok(:scale_on_busy, busy: busy.round(1), threads: threads.round)
          end
          return Checks::CheckResult.ok(:scale_on_backlog, backlog: backlog.round(1)) if backlog
          Checks::CheckResult.warn(:scale_on_unknown)
        end

        def self.scale_on_queued(p95_ns)
          queued_ns = Analysis::CpuCeiling::QueueAlarm.limit_ns(p95_ns)
          Checks::CheckResult.ok(:scale_on_queued, p95_ns:, queued_ns:)
        end
        private_class_method :unused_cpus, :alarm, :facts, :scale_on_queued
      end
    end
  end
end
