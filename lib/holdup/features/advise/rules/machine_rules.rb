# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module MachineRules
        # Fewer processes than vCPUs: an alarm on CPU % may never fire. A recommendation overrides the number.
        module VcpuMismatch
          module_function

          def call(situation)
            ceiling = situation.ceiling
            return unless ceiling&.low?
            needed = situation.processes(ceiling.processes_needed)
            change = situation.levers.change("processes", needed) if needed && !situation.change?
            Finding.new(rule: needed ? :vcpu_mismatch : :vcpu_mismatch_kept, remedy: :machine,
              weight: ceiling.idle_vcpus / ceiling.vcpus, facts: facts(ceiling, needed), change:)
          end

          def facts(ceiling, needed)
            {processes: ceiling.processes, vcpus: ceiling.vcpus, high_share: ceiling.high, needed:,
             query: "report --full"}.compact
          end
          private_class_method :facts
        end

        # An alarm on CPU % that never fires: these processes can't use that much CPU, so requests queue and
        # no machine is added. Queue time rises when capacity ends.
        module AutoscalingTrap
          # A usual target of autoscaling: an alarm works if the processes can reach it.
          USUAL = 0.7
          # Share of the reachable CPU: leaves the minutes that a new machine takes to start.
          ROOM = 0.75

          module_function

          def call(situation)
            ceiling = situation.ceiling
            return if ceiling.nil? || !ceiling.low? || ceiling.alarm(USUAL) == :fires
            p95_ns = Analysis::CpuCeiling::QueueAlarm.p95_ns(situation.total.histogram(:queued))
            queued_ns = Analysis::CpuCeiling::QueueAlarm.limit_ns(p95_ns)
            facts = {**facts(ceiling), queued_ns:, p95_ns:, query: query(ceiling)}
            Finding.new(rule: :autoscaling_trap, remedy: :scaling, weight: 1 - ceiling.low, facts:)
          end

          def facts(ceiling)
            {alarm_share: ceiling.unreachable, low_share: ceiling.low, high_share: ceiling.high,
             processes: ceiling.processes, vcpus: ceiling.vcpus, instead_share: ROOM * ceiling.low}
          end

          def query(ceiling)
            "doctor --autoscale-target #{(ceiling.unreachable * 100).round}"
          end
          private_class_method :facts, :query
        end

        # A CPU quota that is used up stops all threads of a container at once, the GVL holder included.
        module CpuThrottling
          # Share of the quota's periods.
          OFTEN = 0.05

          module_function

          def call(situation)
            machine = situation.machine
            share = machine&.throttled_share
            return unless share && share >= OFTEN
            facts = {throttled_share: share, throttled_ns: machine.throttled_ns, vcpus: machine.vcpus,
                     query: "report --full"}
            Finding.new(rule: :cpu_throttling, remedy: :machine, weight: share, facts:)
          end
        end

        # Threads that hold the GVL get no CPU, because other work has it, here or on the same host (see
        # Analysis::Machine::CpuStarvation; each cause has its own sentences). If the system does not count
        # waits for a CPU, code that waits with the GVL held may also be the cause.
        module CpuMissing
          # Starved time that matters, as a share of the time on a CPU.
          MUCH = 0.1
          SEEN = 0.02
          # Share of the time that threads wanted a CPU: below it, other work did not take it.
          QUEUED = 0.03

          module_function

          def call(situation)
            split = situation.total.split
            starved_share = split.share(:starved)
            return if situation.summary.empty? || starved_share < SEEN
            return if starved_share < MUCH * split.share(:cpu)
            waiting = situation.summary.processes.members.filter_map(&:waiting_share)
            return if waiting.any? && waiting.max < QUEUED
            culprit, blame = waiting.any? ? blamed(situation.machine) : [:unknown, {}]
            facts = {starved_share:, cpu_share: split.share(:cpu), waiting_share: waiting.max, **blame,
                     query: "report --full"}
            remedy = (culprit == :own) ? :machine : :neighbours
            rule = culprit ? :"starved_#{culprit}" : :starved
            Finding.new(rule:, remedy:, weight: starved_share, facts:)
          end

          # Returns nil and no facts if the cause is not known.
          def blamed(machine)
            starvation = machine && Analysis::Machine::CpuStarvation.new(machine)
            culprit = starvation&.culprit or return [nil, {}]
            facts = {own: starvation.own&.round(2), taken: starvation.taken&.round(2),
                     vcpus: starvation.vcpus,
                     stolen_share: machine.steal_share}
            [culprit, facts]
          end
          private_class_method :blamed
        end

        # Nearly full memory limits threads and processes; the kernel kills the process that asks for more.
        module MemoryHeadroom
          module_function

          def call(situation)
            used = situation.machine&.memory_bytes
            limit = limit(situation)
            return unless used && limit && used >= Analysis::Thresholds::FULL * limit
            share = used.fdiv(limit)
            weight = [share, 1.0].min - Analysis::Thresholds::FULL
            Finding.new(rule: :memory_headroom, remedy: :machine, weight:,
              facts: {used_share: share, memory_bytes: used, limit_bytes: limit, query: "report --full"})
          end

          # The user's limit (--memory) overrides that of a sample.
          def limit(situation)
            given = situation.recommendation&.limits&.memory_limit_bytes
            (given || situation.machine&.memory_limit_bytes)&.nonzero?
          end
          private_class_method :limit
        end

        # Queue time exceeds the stall: capacity is missing, and fewer threads would make it worse.
        module CapacityMissing
          TIMES = 2
          SEEN = 0.1

          module_function

          def call(situation)
            queued, stalled, wall = %i[queued stalled wall].map { |key| p95_ns(situation, key) }
            return unless situation.summary.unit_kind == :request && queued.positive?
            return unless queued >= TIMES * stalled && queued >= SEEN * wall
            return if fewer?(situation)
            facts = {queued_ns: queued, stalled_ns: stalled, wall_ns: wall, query: "report --full"}
            Finding.new(rule: :queue_larger, remedy: :setting, weight: queued.fdiv(queued + wall),
              **one_more(situation), facts:)
          end

          def p95_ns(situation, key)
            situation.total.histogram(key).quantile(0.95).to_i
          end

          # A replay that found fewer threads better overrides the queue.
          def fewer?(situation)
            return false unless situation.change?
            now = situation.recommendation.now
            best = situation.recommendation.best.candidate
            best.slots < now.slots
          end

          def one_more(situation)
            return {} unless situation.sized?
            processes = situation.processes(nil) || situation.recommendation.now.processes + 1
            effect = situation.effect(processes:)
            return effect if situation.keep?
            {change: situation.levers.change("processes", processes), **effect}
          end
          private_class_method :p95_ns, :fewer?, :one_more
        end
      end
    end
  end
end
