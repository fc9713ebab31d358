# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Which requests and jobs allocate objects and bytes, and so cause garbage collection, and how much
      # memory they take at once.
      class MemoryTable < View::SectionBase
        # @return [Array<Symbol>] parts of the summary that the sentences need
        def self.answer_parts(_summary) = %i[samples heap_counts]

        COLUMNS = %i[memory_objects memory_share memory_bytes memory_bytes_share memory_gc_caused
          average_gc].freeze
        # With the shortest steps that there are.
        LEAST_S = Analysis::HeapGrowth::FEWEST * MINUTE_S
        ENOUGH_WATCHED = 100
        # Who takes so much at once is worth a sentence.
        LARGE_PEAK = 10_000_000
        # A smaller share of all objects is rounding.
        REST = 0.0005

        # @return [View::Section, nil] nil where no objects were counted
        def call
          return unless allocations.objects(summary.total)
          columns = [title_of_names, *COLUMNS.map { |key| word(key) }, *peak_column]
          rows = counted.first(limit).map { |row| [row_label(row), *cells(row), *peak(row.name)] }
          total = [word(:all), *cells(summary.total), *peak(summary.total.name)]
          View::Section.new(title: word(:memory), columns:, rows:, total:,
            notes: [*beyond(counted), word(:memory_note), *(word(:memory_peak_note) if peaks), *rest])
        end

        # @return [String, nil] about all chosen requests or jobs
        def sentence
          total = summary.total
          return unless allocations.objects(total)
          word(allocations.bytes(total) ? :memory_sentence : :memory_sentence_without_bytes,
            objects: objects(total), share: View::Figures.share(allocations.share(total)),
            bytes: bytes(total),
            bytes_share: View::Figures.share(allocations.bytes_share(total)), gc: gc_caused(total))
        end

        # @return [Array<String>] which requests and jobs make the processes grow
        def sentences
          growing = growth_sentences
          growing = [grows_not] if growing.empty?
          [*growing, *large_peak]
        end

        # @return [Array<String>] likewise; empty where too little is known to say that there are none
        def growth_sentences
          found = summary.heap_growth.first(limit)
          shown = found.select { |growing| chosen?(growing.name) }
          sum = (shown == found) ? growth : []
          return [*shown.map { |growing| grows(growing) }, *sum] unless found.empty?
          watched? ? [word(:memory_retains_not, watched: View::Figures.count(retained.watched))] : []
        end

        # @return [Array<String>] who takes most memory at once, if that is much
        def large_peak
          name, peak = peaks&.largest
          return [] unless peak && peak.bytes >= LARGE_PEAK
          most, live, mean = [peak.bytes, peak.live_bytes, peak.mean_bytes.round].map do |bytes|
            View::Figures.bytes(bytes)
          end
          key = peak.live_bytes.zero? ? :memory_takes : :memory_takes_live
          watched = View::Figures.count(peak.watched)
          [word(key, name: View::Width.clean(name), most:, live:, mean:, watched:)]
        end

        private

        def grows_not
          spans = [LEAST_S, Analysis::HeapGrowth::YOUNG_S]
          least, age = spans.map { |seconds| View::Figures.rough(seconds * NS) }
          word(:memory_grows_not, least:, age:)
        end

        # @return [Analysis::PeaksByName, nil]
        def peaks
          summary.memory_peaks if summary.read?(:samples) && summary.memory_peaks.any?
        end

        def peak_column
          peaks ? [View::Blocks::Column.new(text: word(:memory_peak), optional: true)] : []
        end

        # Of a name that none was watched of, or that others of its process had larger peaks than, nothing is
        # known.
        def peak(name)
          return [] unless peaks
          peak = peaks[name]
          [peak ? View::Figures.bytes(peak.bytes) : View::Figures::NONE]
        end

        def grows(growing)
          each, least, most, bytes, grown = [growing.each_bytes, *growing.each_within, growing.bytes,
            growing.grown_bytes].map { |number| View::Figures.bytes(number.round) }
          facts = {name: View::Width.clean(growing.name), each:, least:, most:, bytes:}
          return word(:memory_grows, **facts, grown:) unless growing.respond_to?(:watched)
          key = growing.majors.zero? ? :memory_retains_so_far : :memory_retains
          watched, retaining = [growing.watched, growing.retaining].map { |one| View::Figures.count(one) }
          word(key, **facts, watched:, retaining:)
        end

        # What grows is found among all that ran.
        def chosen?(name) = summary.rows.any? { |row| row.name == name }

        def retained = summary.retained_memory

        # So many that a leak would have been found.
        def watched? = retained.watched >= ENOUGH_WATCHED

        # What the watched names and everything else add up to.
        def growth
          return [] if retained.names.empty? || retained.grown_bytes.zero?
          named = retained.names.sum(&:bytes)
          grown, named, rest = [retained.grown_bytes, named, retained.rest_bytes]
            .map { |bytes| signed_bytes(bytes.round) }
          [word(:memory_growth_sum, grown:, named:, rest:)]
        end

        def signed_bytes(bytes)
          text = View::Figures.bytes(bytes.abs)
          bytes.negative? ? "-#{text}" : text
        end

        def allocations = summary.allocations

        # Without a request or job of its own, and where no thread read Ruby's counters, nothing is known.
        def counted
          @counted ||= summary.rows.select { |row| row.count.positive? && allocations.objects(row) }
        end

        def cells(row)
          [objects(row), share_of_objects(row), bytes(row),
            share_of_bytes(row), gc_caused(row), each_unit(row, row.sum(:gc_ns))]
        end

        # What the rows do not add up to.
        def rest
          share = 1 - allocations.share(summary.total)
          key = summary.leaves_out? ? :memory_rest_of_others : :memory_rest
          (share >= REST) ? [word(key, share: View::Figures.share(share))] : []
        end

        # Of an estimate of nothing only the bounds are known.
        def share_of_objects(row)
          share = allocations.share(row, whole: summary.total)
          return View::Figures.bare_share(share) unless at_most?(row, allocations.objects_within(row))
          View::Figures::NONE
        end

        def share_of_bytes(row)
          share = allocations.bytes_share(row, whole: summary.total)
          return View::Figures.bare_share(share) if share.nil? || !at_most?(row,
            allocations.bytes_within(row))
          View::Figures::NONE
        end

        def at_most?(row, found) = !found.exact? && row.per_unit(found.value) < 1

        def objects(row)
          within(row, allocations.objects_within(row)) { |number| View::Figures.short_count(number) }
        end

        def bytes(row)
          within(row, allocations.bytes_within(row)) { |number| View::Figures.bytes(number.round) }
        end

        # No request allocates nothing: where the estimate is that, only the bounds are known.
        def within(row, found)
          return View::Figures::NONE unless found
          value, least, most = [found.value, found.least, found.most].map { |number| row.per_unit(number) }
          return yield(value) if found.exact?
          return word(:memory_at_most, most: yield([most, 1].max)) if at_most?(row, found)
          "~#{yield(value)} (#{yield(least)}-#{yield(most)})"
        end

        def gc_caused(row)
          gc_ns = allocations.gc_caused_ns(row) unless at_most?(row, allocations.objects_within(row))
          gc_ns ? each_unit(row, gc_ns) : View::Figures::NONE
        end
      end
    end
  end
end
