# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module MemoryRules
        # Requests or jobs of one name make the processes grow.
        module GrowingHeap
          # A name counts from this share of all growth on, and from these bytes on.
          SHARE = 0.3
          BYTES = 20 * 1024 * 1024

          module_function

          def call(situation)
            found = situation.summary.heap_growth.first
            return unless found && found.bytes >= BYTES && found.share >= SHARE
            facts = {name: found.name, each_bytes: found.each_bytes.round,
                     error_bytes: found.error_bytes.round,
                     name_bytes: found.bytes.round, grown_bytes: found.grown_bytes.round,
                     query: "report --table memory --name #{situation.quoted(found.name)}"}
            Finding.new(rule: :heap_growth, weight: [found.share, 1.0].min * 0.1, facts:)
          end
        end

        # Garbage collection takes much of the time in which the GVL is held. Only an experiment shows whether
        # a larger heap helps.
        module GcSettings
          # Share of the running time that garbage collection takes.
          MUCH = 0.15
          # Numbers are rounded to whole ten thousands.
          DIGITS = -4

          module_function

          def call(situation)
            return if situation.fact("gc")
            running_ns = situation.total.histogram(:running).sum
            share = situation.total.sum(:gc_ns).fdiv([running_ns, 1].max)
            live = situation.summary.processes.members.filter_map(&:live_slots).max
            return unless share >= MUCH && live
            # Heap 0 has most objects. As many slots there as objects live in all heaps leave half of them
            # free.
            more_bytes = live * Analysis::Allocations::SettingAllocations::SLOT_BYTES
            facts = {gc_share: share, live:, slots: live.ceil(DIGITS).to_s, more_bytes:,
                     query: "report --table memory"}
            Finding.new(rule: :gc_settings, remedy: :setting, weight: share * running_share(situation),
              facts:)
          end

          def running_share(situation)
            situation.total.histogram(:running).sum.fdiv([situation.total.wall_ns, 1].max)
          end
          private_class_method :running_share
        end
      end
    end
  end
end
