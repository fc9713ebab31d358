# frozen_string_literal: true

module Holdup
  module Analysis
    # Objects that requests and jobs allocate, and the garbage collection that they cause: the same share of
    # all collection as of all objects, whichever thread it ran on.
    #
    # The probe counts what the whole process allocates between two readings, with the time that the reading
    # thread ran itself and that others ran (ext/holdup/allocations.h). Others allocate as the process does on
    # average, so
    #
    #   own objects = objects - mean rate x time of others
    #
    # This is exact where no other ran; of the time without a reading it is the same rate.
    class Allocations
      # Below this share of own time it is an estimate that depends on who ran at the same time.
      CERTAIN = 0.5

      # @param entries [Array<WindowTable::WindowEntry>] of everything that ran: units, accounts, nested units
      def initialize(entries)
        @entries = entries
        @totals = {}
      end

      # @param row [SeriesRow]
      # @return [Float, nil] all units together; nil where none was counted
      def objects(row)
        own_ns = row.sum(:objects_own_ns)
        return unless own_ns.positive?
        own = row.sum(:objects) - totals(row).rate * row.sum(:objects_others_ns)
        [own, 0].max * row.histogram(:running).sum.fdiv(own_ns)
      end

      def objects_each(row)
        objects = objects(row)
        objects && row.per_unit(objects)
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

      # What processes of some settings did. `rate`: objects per ns of running.
      AllocationTotals = Data.define(:objects, :ran_ns, :gc_ns) do
        # Units inside others count twice.
        def self.of(entries)
          sums = %i[objects objects_own_ns objects_others_ns gc_ns].map do |name|
            entries.sum { |entry| sign(entry) * entry.window.sums.fetch(name) }
          end
          objects, own_ns, others_ns, gc_ns = sums
          new(objects:, ran_ns: own_ns + others_ns, gc_ns:)
        end

        def self.sign(entry) = (entry.series.kind == :nested) ? -1 : 1

        def rate = ran_ns.positive? ? objects.fdiv(ran_ns) : 0.0
      end

      private

      def totals(row)
        @totals[row.settings] ||= begin
          same = @entries.select { |entry| row.settings.include?(entry.setting&.fingerprint) }
          AllocationTotals.of(same.empty? ? @entries : same)
        end
      end
    end
  end
end
