# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Which requests and jobs allocate objects and bytes, and so cause garbage collection.
      class MemoryTable < SectionBase
        COLUMNS = %i[memory_objects memory_share memory_bytes memory_bytes_share memory_gc_caused
          average_gc].freeze

        # @return [Section, nil] nil where no objects were counted
        def call
          return unless allocations.objects(summary.total)
          figures_section(:memory, COLUMNS.map { |key| word(key) }, notes: [word(:memory_note)]) { |row|
            [objects(row), Figures.bare_share(allocations.share(row)), bytes(row),
              Figures.bare_share(allocations.bytes_share(row)), gc_caused(row),
              each_unit(row, row.sum(:gc_ns))]
          }
        end

        # @return [String, nil] about all chosen requests or jobs
        def sentence
          total = summary.total
          return unless allocations.objects(total)
          word(allocations.bytes(total) ? :memory_sentence : :memory_sentence_without_bytes,
            objects: objects(total), share: Figures.share(allocations.share(total)), bytes: bytes(total),
            bytes_share: Figures.share(allocations.bytes_share(total)), gc: gc_caused(total))
        end

        private

        def allocations = summary.allocations

        def objects(row)
          Figures.estimate(allocations.objects_each(row), certain: allocations.certain?(row))
        end

        def bytes(row)
          bytes = Figures.bytes(allocations.bytes_each(row)&.round)
          (bytes == Figures::NONE || allocations.certain?(row)) ? bytes : "~#{bytes}"
        end

        def gc_caused(row)
          gc_ns = allocations.gc_caused_ns(row)
          gc_ns ? each_unit(row, gc_ns) : Figures::NONE
        end
      end
    end
  end
end
