# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Mean times per unit, and the idle shares that people know as "io %".
      class AverageTable < SectionBase
        # @return [Section]
        def call
          columns = %i[average_wall average_running average_idle average_stalled average_gc io_percent
            io_stall_percent]
          figures_section(:averages, columns.map { |key| word(key) }, notes: [word(:averages_note)]) { |row|
            cells(row)
          }
        end

        private

        def cells(row)
          times = %i[wall running idle stalled].map { |key| each_unit(row, row.histogram(key).sum) }
          [*times, each_unit(row, row.sum(:gc_ns)), Figures.bare_share(row.idle_share),
            Figures.bare_share(row.idle_and_stall_share)]
        end
      end
    end
  end
end
