# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      module Units
        # All figures of all units for a spreadsheet, in nanoseconds.
        module Csv
          ROUNDED = 6

          module_function

          # @param rows [Array<Analysis::SeriesRow>]
          # @param summary [Analysis::Summary]
          # @return [String]
          def call(rows, summary)
            head = ["name", "kind", "queue", *FIGURES.values.map(&:csv)]
            Web::Csv.call([head,
              *rows.map { |row| [row.name, row.kind.to_s, row.queue, *figures(row, summary)] }])
          end

          def figures(row, summary)
            FIGURES.values.map { |figure| number(figure.read.call(row, summary)) }
          end

          def number(value)
            value.is_a?(Float) ? value.round(ROUNDED) : value
          end
          private_class_method :figures, :number
        end
      end
    end
  end
end
