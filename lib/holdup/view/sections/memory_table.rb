# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Which requests and jobs allocate objects, and so cause garbage collection.
      class MemoryTable < SectionBase
        COLUMNS = %i[memory_objects memory_share memory_gc_caused average_gc].freeze

        # @return [Section, nil] nil where no objects were counted
        def call
          return unless allocations.objects(summary.total)
          figures_section(:memory, COLUMNS.map { |key| word(key) }, notes: [word(:memory_note)]) { |row|
            [objects(row), Figures.bare_share(allocations.share(row)), gc_caused(row),
              each_unit(row, row.sum(:gc_ns))]
          }
        end

        # @return [String, nil] about all chosen requests or jobs
        def sentence
          total = summary.total
          return unless allocations.objects(total)
          word(:memory_sentence, objects: objects(total), share: Figures.share(allocations.share(total)),
            gc: gc_caused(total))
        end

        private

        def allocations = summary.allocations

        def objects(row)
          Figures.estimate(allocations.objects_each(row), certain: allocations.certain?(row))
        end

        def gc_caused(row)
          gc_ns = allocations.gc_caused_ns(row)
          gc_ns ? each_unit(row, gc_ns) : Figures::NONE
        end
      end
    end
  end
end
