# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether the processes can use the container's CPUs, and so whether an alarm on CPU % can ever fire;
      # and what to scale on where it can't.
      module Autoscale
        def self.call(host)
          machine = host.machines.select(&:ceiling).min_by { |each| each.ceiling.low }
          return idle(machine) unless host.autoscale_target
          return CheckResult.warn(:autoscale_unknown, target: "#{host.autoscale_target} %") unless machine
          alarm(machine, host)
        end

        # Nobody asked about an alarm: only what is wasted for certain.
        def self.idle(machine)
          return [] unless machine&.ceiling&.low? && machine.processes < machine.vcpus.floor
          CheckResult.warn(:ceiling, **facts(machine))
        end

        def self.alarm(machine, host)
          told = facts(machine).merge(target: "#{host.autoscale_target} %")
          case machine.ceiling.alarm(host.autoscale_target / 100.0)
          when :fires then CheckResult.ok(:autoscale_fires, **told)
          when :unsure then [CheckResult.warn(:autoscale_unsure, **told), signal(host.signals)]
          when :never then [CheckResult.warn(:autoscale_never, **told), signal(host.signals)]
          end
        end

        def self.facts(machine)
          ceiling = machine.ceiling
          {host: machine.host, vcpus: ceiling.vcpus.round(2).to_s.delete_suffix(".0"), processes: ceiling.processes,
           range: [ceiling.low, ceiling.high].map { |share| (share * 100).round }.uniq.join("-") + " %", needed: ceiling.processes_needed}
        end

        # What work waits for says most; a backlog is only seen at moments.
        # @param signals [Hash{Symbol => Numeric, nil}] of a Host
        # @return [CheckResult]
        def self.signal(signals)
          queued, busy, backlog = signals.values_at(:queued_p95_ns, :busy, :backlog)
          return scale_on_queued(queued) if queued
          if busy && signals[:threads]
            return CheckResult.ok(:scale_on_busy, busy: busy.round(1), threads: signals[:threads].round)
          end
          backlog ? CheckResult.ok(:scale_on_backlog,
            backlog: backlog.round(1)) : CheckResult.warn(:scale_on_unknown)
        end

        def self.scale_on_queued(p95_ns)
          CheckResult.ok(:scale_on_queued, p95_ns:, queued_ns: Analysis::CpuCeiling::QueueAlarm.limit_ns(p95_ns))
        end
        private_class_method :idle, :alarm, :facts, :scale_on_queued
      end
    end
  end
end
