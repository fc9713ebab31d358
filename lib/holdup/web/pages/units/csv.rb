# frozen_string_literal: true

require_relative "../../../reports/width"
require_relative "figure"

module Holdup
  class Web
    module Pages
      module Units
        # All figures of all units for a spreadsheet, in nanoseconds.
        module Csv
          # What a spreadsheet would take for the start of a formula; names come from requests.
          FORMULA = /\A[=+\-@]/
          ROUNDED = 6

          module_function

          # @param rows [Array<Analysis::Row>]
          # @param summary [Analysis::Summary]
          # @return [String]
          def call(rows, summary)
            head = ["name", "kind", "queue", *FIGURES.values.map(&:csv)]
            lines = rows.map { |row| [row.name, row.kind, row.queue].map { |text| harmless(text) } + figures(row, summary) }
            [head, *lines].map { |line| "#{line.map { |field| quoted(field) }.join(",")}\r\n" }.join
          end

          def figures(row, summary) = FIGURES.values.map { |figure| number(figure.read.call(row, summary)) }

          def number(value) = value.is_a?(Float) ? value.round(ROUNDED) : value

          def harmless(text)
            text = Reports::Width.clean(text)
            FORMULA.match?(text) ? "'#{text}" : text
          end

          def quoted(field) = field.to_s.match?(/[",\r\n]/) ? %("#{field.to_s.gsub('"', '""')}") : field.to_s
          private_class_method :figures, :number, :harmless, :quoted
        end
      end
    end
  end
end
