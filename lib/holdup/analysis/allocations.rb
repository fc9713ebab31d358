# frozen_string_literal: true

module Holdup
  module Analysis
    # Objects that requests and jobs allocate, their bytes, and the garbage collection that they cause: the
    # same share of all collection as of all objects, whichever thread it ran on.
    #
    # Ruby counts what the whole process allocates. The probe reads that counter. A reading gets its growth
    # since any thread's last reading, with the time that the reading thread ran itself and that others ran
    # (ext/holdup/hook/allocations.h). So all readings together are what the process allocated, and the
    # figures of all names and threads add up to that. A single figure is an estimate with bounds, unless its
    # thread ran alone between its readings. See SettingAllocations.
    class Allocations
      # Readings with a smaller share of own time give an estimate that depends on who ran at the same time.
      CERTAIN = 0.5
      # Share of an estimate.
      CLOSE = 0.1

      # `value`: an estimate, between `least` and `most`
      AllocatedCount = Data.define(:value, :least, :most) do
        # Whether its bounds are so close that they say nothing more.
        def exact? = most - least <= Allocations::CLOSE * value

        def self.sum(counts)
          new(value: counts.sum(&:value), least: counts.sum(&:least), most: counts.sum(&:most))
        end

        def -(other)
          with(value: value - other.value, least: [least - other.most, 0.0].max, most: most - other.least)
        end
      end

      # @param entries [Array<WindowTable::WindowEntry>] of everything that ran: units, accounts, nested units
      def initialize(entries)
        @entries = entries
        @by_setting = entries.group_by { |entry| entry.setting&.fingerprint }
          .transform_values { |same| SettingAllocations.new(same) }
        @counted = {}.compare_by_identity
      end

      # @param row [SeriesRow]
      # @return [Float, nil] all units together; nil where none was counted
      def objects(row) = counted(row, :objects)&.value

      # @return [AllocatedCount, nil] all units together
      def objects_within(row) = counted(row, :objects)

      def objects_each(row)
        objects = objects(row)
        objects && row.per_unit(objects)
      end

      # @return [Float, nil] of all units together: slots and what they got from malloc; nil where slots or
      #   objects were not counted
      def bytes(row) = bytes_within(row)&.value

      # @return [AllocatedCount, nil] all units together
      def bytes_within(row)
        slots = counted(row, :slot_bytes)
        slots && AllocatedCount.sum([slots, counted(row, :malloc_bytes)])
      end

      def bytes_each(row)
        bytes(row)&.then { |bytes| row.per_unit(bytes) }
      end

      # @param whole [SeriesRow] whose processes are the whole: the rows of a table share one whole, or their
      #   shares would not add up
      # @return [Float, nil] of all bytes that the processes allocated, 0..1
      def bytes_share(row, whole: row)
        bytes(row)&.fdiv([settings(whole).sum(&:bytes), 1].max)
      end

      # @param whole [SeriesRow] as above
      # @return [Float, nil] of all objects that the processes allocated, 0..1
      def share(row, whole: row)
        objects(row)&.fdiv([settings(whole).sum { |one| one.total(:objects) }, 1].max)
      end

      # @return [Float, nil] ns of garbage collection that it causes, all units together
      def gc_caused_ns(row)
        share = share(row)
        share && share * settings(row).sum { |one| one.total(:gc_ns) }
      end

      # @return [Float, nil] share of the counted time in which no other thread ran, 0..1
      def certainty(row)
        own_ns, others_ns = row.sum(:objects_own_ns), row.sum(:objects_others_ns)
        own_ns.positive? ? own_ns.fdiv(own_ns + others_ns) : nil
      end

      def certain?(row) = (certainty(row) || 0) >= CERTAIN

      private

      # @return [Array<SettingAllocations>] of the processes that ran its units
      def settings(row)
        found = @by_setting.slice(*row.settings).values
        found.empty? ? @by_setting.values : found
      end

      # @param counter [Symbol] :objects, :slot_bytes or :malloc_bytes
      # @return [AllocatedCount, nil]
      def counted(row, counter)
        known = (@counted[row] ||= {})
        known.fetch(counter) { known[counter] = count(row, counter) }
      end

      # Rows of processes and priorities have windows of their own, which are others than those of names.
      def count(row, counter)
        entries = entries_of(row)
        return of_view(row, counter) if entries.empty? || entries.first.series.view?
        found = counts(entries, counter)
        return if found.empty?
        within = AllocatedCount.sum(found)
        twice = counts(row.nested, counter)
        within -= AllocatedCount.sum(twice) if twice.any?
        whole = settings(row).sum { |one| one.total(counter) }
        within.with(most: within.most.clamp(within.value, [whole, within.value].max))
      end

      # @return [Array<WindowTable::WindowEntry>]
      def entries_of(row)
        return row.entries unless row.entries.empty?
        @entries.select do |entry|
          series = entry.series
          [series.name, series.kind, series.queue] == [row.name, row.kind, row.queue]
        end
      end

      def counts(entries, counter)
        entries.filter_map do |entry|
          @by_setting[entry.setting&.fingerprint]&.counts(counter)&.fetch(entry, nil)
        end
      end

      def of_view(row, counter)
        settings(row).first&.of_view(row, counter)
      end

      # What the series of one setting allocated of what its processes did. For each series r:
      #
      #   n: growth in its readings; a: time in them that its threads ran; b: that others ran
      #   u: time that its threads ran in the readings of others
      #
      # It allocates at a rate of its own, x = (n - b m) / a, and the others in its readings at their mean
      # rate m. Others are those who ran in readings that were not their own: m is the mean of all x, weighted
      # by u. A thread that is alone between its readings (b = u = 0) has no part in m: threads that idle
      # change no figure of a request. Time of threads that are in no series has the mean rate of all.
      #
      # What is not exact is scaled to what is left of the process's counter.
      class SettingAllocations
        # Ruby's smallest slot.
        SLOT_BYTES = 40
        # A row's mean slot counts as much as that of its processes when so many of its objects were sampled.
        FEW_OBJECTS = 100
        # Shares of time below this are rounding.
        EXACT = 0.01
        SUMS = %i[objects malloc_bytes slot_bytes slot_objects gc_ns objects_own_ns objects_others_ns].freeze
        # Names as above. `sign`: -1 for what is counted twice
        Readings = Data.define(:n, :a, :b, :u, :sign) do
          # @param sums [Hash{Symbol => Integer}] of a window
          # @param running_ns [Integer] that its threads ran
          # @param counter [Symbol] of what is counted
          def self.of(sums, running_ns, counter, sign: 1)
            a = sums.fetch(:objects_own_ns)
            new(n: sums.fetch(counter), a:, b: sums.fetch(:objects_others_ns), sign:,
              u: [running_ns - a, 0].max)
          end

          def exact? = b + u <= SettingAllocations::EXACT * a

          # The rate if others had allocated nothing.
          def rate = n.fdiv(a)

          # @param mean [Float] the mean rate of others
          def own(mean) = [n - b * mean, 0.0].max * (a + u) / a
        end

        # @param entries [Array<WindowTable::WindowEntry>]
        def initialize(entries)
          @entries = entries
          @totals = SUMS.to_h do |name|
            [name, entries.sum { |entry| sign(entry) * entry.window.sums.fetch(name) }]
          end
          @counts = {}
        end

        # @return [Numeric] of the whole processes
        def total(counter)
          (counter == :slot_bytes) ? slots_of_all : @totals.fetch(counter)
        end

        # @return [Float] slots and malloc
        def bytes = total(:slot_bytes) + total(:malloc_bytes)

        # @return [Hash{WindowTable::WindowEntry => AllocatedCount}] of those in which anything was counted
        def counts(counter)
          @counts[counter] ||= (counter == :slot_bytes) ? slots : divided(counter)
        end

        # @param row [SeriesRow] of windows that are not among the entries
        # @return [AllocatedCount, nil]
        def of_view(row, counter)
          return if counter == :slot_bytes && mean_slot.nil?
          counted = (counter == :slot_bytes) ? :objects : counter
          one = Readings.of(row.window.sums, row.histogram(:running).sum, counted)
          return unless one.a.positive?
          each = (counter == :slot_bytes) ? slots_of_all / [total(:objects), 1].max : 1
          value = one.own(mean_rate(counted)) * each
          AllocatedCount.new(value:, least: 0.0, most: [value, total(counter)].max)
        end

        private

        def sign(entry) = (entry.series.kind == :nested) ? -1 : 1

        def readings(counter)
          found = @entries.select { |entry| entry.window.sums.fetch(:objects_own_ns).positive? }
          found.to_h do |entry|
            window = entry.window
            [entry, Readings.of(window.sums, window.histograms[:running].sum, counter, sign: sign(entry))]
          end
        end

        # Time of threads that are in no series.
        def outside_ns(all)
          [all.sum { |one| one.sign * (one.b - one.u) }, 0].max
        end

        # The mean rate of all threads.
        def mean_rate(counter)
          ran_ns = total(:objects_own_ns) + total(:objects_others_ns)
          ran_ns.positive? ? total(counter).fdiv(ran_ns) : 0.0
        end

        # @return [Float] m
        def rate_of_others(all, counter)
          outside = outside_ns(all)
          weight = outside + all.sum { |one| one.sign * one.u * (1 + one.b.fdiv(one.a)) }
          return mean_rate(counter) unless weight.positive?
          sum = outside * mean_rate(counter) + all.sum { |one| one.sign * one.u * one.rate }
          [sum / weight, 0.0].max
        end

        def divided(counter)
          all = readings(counter)
          mean = rate_of_others(all.values, counter)
          fastest = [mean, *all.values.map(&:rate)].max
          exact, shared = all.values.partition(&:exact?)
          rest = total(counter) - outside_ns(all.values) * mean_rate(counter)
          rest = [rest - exact.sum { |one| one.sign * one.n }, 0.0].max
          known = shared.sum { |one| one.sign * one.own(mean) }
          factor = known.positive? ? rest / known : 0.0
          bounds = {mean:, factor:, fastest:, total: total(counter)}
          all.transform_values { |one| one.exact? ? exactly(one.n) : within(one, **bounds) }
        end

        def exactly(number) = AllocatedCount.new(value: number.to_f, least: number.to_f, most: number.to_f)

        # The least is what is left if the others allocated as fast as the fastest; the most is all of its
        # readings, and as much in those of others.
        def within(one, mean:, factor:, fastest:, total:)
          value = one.own(mean) * factor
          least = [one.n - one.b * fastest, 0.0].max
          most = [one.n + one.u * one.rate, total].min
          AllocatedCount.new(value:, least: [least, value].min, most: [most, value].max)
        end

        # @return [Float, nil] bytes of an object's slot; nil where none was sampled
        def mean_slot
          objects = @totals.fetch(:slot_objects)
          objects.positive? ? @totals.fetch(:slot_bytes).fdiv(objects) : nil
        end

        # Each name by its own sampled intervals: which names the samples met is chance, so the mean of all
        # samples says less of the whole than its parts do.
        def slots
          return {} unless mean_slot
          counts(:objects).to_h do |entry, count|
            each = slot_bytes(entry)
            [entry, AllocatedCount.new(**count.to_h.transform_values { |number| number * each })]
          end
        end

        # Objects of threads that are in no series have the mean slot of all.
        def slots_of_all
          @slots_of_all ||= begin
            counted = signed(counts(:objects))
            signed(counts(:slot_bytes)) + (total(:objects) - counted) * mean_slot.to_f
          end
        end

        def signed(counts) = counts.sum(0.0) { |entry, count| sign(entry) * count.value }

        def others_rate = @others_rate ||= rate_of_others(readings(:objects).values, :objects)

        # Others had their part of the objects in a series' sampled intervals too, with the mean slot of all.
        def slot_bytes(entry)
          sums = entry.window.sums
          sampled = sums.fetch(:slot_objects)
          others = [others_rate * sums.fetch(:objects_others_ns), sums.fetch(:objects)].min
          others *= sampled.fdiv([sums.fetch(:objects), 1].max)
          own_bytes = sums.fetch(:slot_bytes) - others * mean_slot + FEW_OBJECTS * mean_slot
          [own_bytes / (sampled - others + FEW_OBJECTS), SLOT_BYTES].max
        end
      end
    end
  end
end
