# frozen_string_literal: true

module Holdup
  module Analysis
    # Objects that requests and jobs allocate, their bytes, and the garbage collection that they cause: the
    # same share of all collection as of all objects, whichever thread it ran on.
    #
    # The probe counts what the whole process allocates between two readings, with the time that the reading
    # thread ran itself and that others ran (ext/holdup/allocations.h). Others allocate as the process does on
    # average, so
    #
    #   own objects = objects - mean rate x time of others
    #
    # This is exact where no other ran; of the time without a reading it is the same rate. Bytes from malloc
    # are counted likewise. The slots of objects are known of a sample of these intervals: the mean slot.
    class Allocations
      # Below this share of own time it is an estimate that depends on who ran at the same time.
      CERTAIN = 0.5
      # Ruby's smallest slot.
      SLOT_BYTES = 40
      # A row's mean slot counts as much as that of its processes when so many of its objects were sampled.
      FEW_OBJECTS = 100

      # @param entries [Array<WindowTable::WindowEntry>] of everything that ran: units, accounts, nested units
      def initialize(entries)
        @entries = entries
        @totals = {}
      end

      # @param row [SeriesRow]
      # @return [Float, nil] all units together; nil where none was counted
      def objects(row)
        own_of(row, :objects)
      end

      def objects_each(row)
        objects = objects(row)
        objects && row.per_unit(objects)
      end

      # @return [Float, nil] of all units together: slots and what they got from malloc; nil where slots or
      #   objects were not counted
      def bytes(row)
        objects = objects(row)
        slot_bytes = objects && slot_bytes(row)
        slot_bytes && objects * slot_bytes + own_of(row, :malloc_bytes)
      end

      def bytes_each(row)
        bytes = bytes(row)
        bytes && row.per_unit(bytes)
      end

      # @return [Float, nil] of all bytes that its processes allocated, 0..1
      def bytes_share(row)
        bytes = bytes(row)
        bytes && [bytes.fdiv([totals(row).bytes, 1].max), 1.0].min
      end

      # @return [Float, nil] of all objects that its processes allocated, 0..1
      def share(row)
        objects = objects(row)
        objects && [objects.fdiv([totals(row).objects, 1].max), 1.0].min
      end

      # @return [Float, nil] ns of garbage collection that it causes, all units together
      def gc_caused_ns(row)
        share = share(row)
        share && share * totals(row).gc_ns
      end

      # @return [Float, nil] share of the counted time in which no other thread ran, 0..1
      def certainty(row)
        own_ns, others_ns = row.sum(:objects_own_ns), row.sum(:objects_others_ns)
        own_ns.positive? ? own_ns.fdiv(own_ns + others_ns) : nil
      end

      def certain?(row) = (certainty(row) || 0) >= CERTAIN

      SUMS = %i[objects objects_own_ns objects_others_ns malloc_bytes slot_bytes slot_objects gc_ns].freeze
      private_constant :SUMS

      # What processes of some settings did.
      AllocationTotals = Data.define(*SUMS) do
        # Units inside others count twice.
        def self.of(entries)
          new(**members.to_h { |name|
            [name, entries.sum { |entry| sign(entry) * entry.window.sums.fetch(name) }]
          })
        end

        def self.sign(entry) = (entry.series.kind == :nested) ? -1 : 1

        # @param name [Symbol] :objects or :malloc_bytes
        # @return [Float] for each ns that threads ran
        def rate(name)
          ran_ns = objects_own_ns + objects_others_ns
          ran_ns.positive? ? public_send(name).fdiv(ran_ns) : 0.0
        end

        # @return [Float, nil] bytes of an object's slot; nil where none was sampled
        def mean_slot = slot_objects.positive? ? slot_bytes.fdiv(slot_objects) : nil

        def bytes = objects * mean_slot + malloc_bytes
      end

      private

      # What the units of a row did of what was counted in their intervals.
      def own_of(row, name)
        own_ns = row.sum(:objects_own_ns)
        return unless own_ns.positive?
        own = row.sum(name) - totals(row).rate(name) * row.sum(:objects_others_ns)
        [own, 0].max * row.histogram(:running).sum.fdiv(own_ns)
      end

      # In a row's sampled intervals others had their part of the objects too, with the mean slot of all.
      def slot_bytes(row)
        mean = totals(row).mean_slot
        return unless mean
        objects = row.sum(:slot_objects)
        others = [totals(row).rate(:objects) * row.sum(:objects_others_ns), row.sum(:objects)].min
        others *= objects.fdiv([row.sum(:objects), 1].max)
        own_bytes = row.sum(:slot_bytes) - others * mean + FEW_OBJECTS * mean
        [own_bytes / (objects - others + FEW_OBJECTS), SLOT_BYTES].max
      end

      def totals(row)
        @totals[row.settings] ||= begin
          same = @entries.select { |entry| row.settings.include?(entry.setting&.fingerprint) }
          AllocationTotals.of(same.empty? ? @entries : same)
        end
      end
    end
  end
end
