# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Tables of the processes and of the settings they ran under.
      module Processes
        # CPU and memory of each process, grouped by server, and the container's limits.
        class ProcessTable < View::SectionBase
          def self.parts(summary) = summary.parts_of_machines

          COLUMNS = %i[cpu_of_core cpu_of_all cpu_waiting busy pool_max].freeze
          MEMORY = {rss_bytes: "rss", pss_bytes: "pss", uss_bytes: "uss"}.freeze

          # @return [View::Section, nil] nil without samples
          def call
            return if processes.members.empty?
            View::Section.new(title: word(:processes), columns:,
              rows: processes.groups.flat_map { |group| rows(group) },
              notes: more_rows(unlisted) + machines.flat_map { |machine| notes(machine) } + redis + meanings)
          end

          private

          def processes = summary.processes

          def machines = summary.machines

          def columns
            [word(:process), *COLUMNS.map { |key| word(key) }, *MEMORY.values]
          end

          def meanings = [word(:processes_note)]

          def rows(group)
            members = shown_of(group).map { |member|
              row("  #{member_name(member)}", member, machine(member)&.share_of(member))
            }
            [group_row(group), *members, *ended_row(group)]
          end

          # The processes with most work among those that still run; the JSON has all.
          def shown_of(group)
            present = group.present
            (present.size > limit) ? present.max_by(limit) { |member| member.cpu_share.to_f } : present
          end

          # Servers replace workers by restarts, reforks and killers: their number is enough.
          def ended_row(group)
            count = group.processes.size - group.present.size
            count.zero? ? [] : [["  #{word(:processes_ended, count: View::Figures.count(count))}",
              *Array.new(columns.size - 1, "")]]
          end

          # @return [Integer] processes without a row
          def unlisted
            processes.groups.sum { |group| group.present.size - shown_of(group).size }
          end

          def group_row(group)
            name = word(:group, name: group.server ? label(group.server) : word(:unknown_server),
              count: amount(group.size))
            [name, percent(group.cpu_share), percent(share_of_all(group)), "", View::Figures.rate(group.busy),
              amount(group.threads),
              *MEMORY.keys.map { |key| View::Figures.bytes(group.memory(key)) }]
          end

          def row(name, member, share)
            [name, percent(member.cpu_share), percent(share), percent(member.waiting_share),
              View::Figures.rate(member.busy), View::Figures.count(member.threads),
              *MEMORY.keys.map { |key| View::Figures.bytes(member.public_send(key)) }]
          end

          # Only if one container has all of them.
          def share_of_all(group)
            vcpus = machines.one? && machines.first.vcpus
            group.cpu_share / vcpus if group.cpu_share && vcpus
          end

          def machine(member)
            machines.find { |machine| machine.host == member.host }
          end

          def member_name(member)
            name = member.name.to_s
            label(machines.one? ? name : word(:process_of_host, host: member.host, process: name))
          end

          def notes(machine)
            texts = [container(machine), memory(machine), throttled(machine)].compact
            texts.empty? ? [] : [word(:container_note, text: texts.join(word(:also)))]
          end

          def container(machine)
            return unless machine.ceiling
            facts = {host: label(machine.host),
                     vcpus: View::Remarks::Ceiling.new(machine.ceiling, words: @words).vcpus}
            machine.cpu_share ? word(:container, **facts,
              cpu: View::Figures.share(machine.cpu_share)) : word(:container_unseen, **facts)
          end

          def memory(machine)
            return unless machine.memory_bytes
            used = View::Figures.bytes(machine.memory_bytes)
            limit = machine.memory_limit_bytes
            limit ? word(:container_memory, used:,
              limit: View::Figures.bytes(limit)) : word(:container_memory_unlimited, used:)
          end

          def throttled(machine)
            share = machine.throttled_share
            if share&.positive?
              word(:container_throttled, share: View::Figures.share(share),
                time: duration(machine.throttled_ns))
            end
          end

          def redis
            processes.groups.select(&:redis_rtt_ns).map { |group|
              word(:redis, server: label(group.server), rtt: duration(group.redis_rtt_ns))
            }
          end

          def percent(share) = View::Figures.bare_share(share)
        end

        # The same with more columns than a terminal has room for: waiting threads, GC, JIT, age.
        class WorkerTable < ProcessTable
          MORE = %i[process_waiting process_gc process_jit process_age].freeze

          private

          def columns
            [*super, *MORE.map { |key| word(key) }]
          end

          def meanings = [*super, word(:workers_note)]

          def group_row(group)
            [*super, View::Figures.rate(group.waiting), percent(group.gc_share), "", ""]
          end

          def row(name, member, share)
            [*super, View::Figures.rate(member.waiting), percent(member.gc_share),
              jit(lives[member.identity]),
              duration(member.age_s * NS)]
          end

          def lives
            @lives ||= summary.jits.lives.to_h { |life| [life.trail.identity, life] }
          end

          def jit(life)
            return View::Figures::NONE unless life
            return word(:process_jit_off) if life.facts.off?
            @words.list([label(life.facts.kind), *states(life).map { |state| word(:"process_jit_#{state}") }])
          end

          def states(life)
            [life.warm_s ? :warm : :cold, (:full if life.full?),
              effect(life.facts)].compact
          end

          def effect(facts)
            return :statistics if facts.effective.nil? && facts.deep?
            {true => :works, false => :idle}[facts.effective]
          end
        end

        # The settings during the measurement: what differs per setting, then once what is common.
        class SettingTable < View::SectionBase
          # @return [View::Section, nil] nil if no setting is known; sentences, because facts are too long for
          #   columns
          def call
            return if names.settings.empty?
            View::Section.new(title: word(:settings), columns: [], rows: [],
              notes: (differing + [shared]).map { |line| View::Width.clean(line) })
          end

          private

          def names = summary.setting_names

          def differing
            return [] if names.settings.one?
            names.settings.map { |one| @words.labelled(one.fingerprint, names.facts(one).join(" ")) }
          end

          def shared
            facts = names.shared.map { |key, value| "#{key}=#{value}" }.join(" ")
            return word(:settings_shared, facts:) unless names.settings.one?
            @words.labelled(names.settings.first.fingerprint, facts)
          end
        end
      end
    end
  end
end
