# frozen_string_literal: true

module Holdup
  module View
    # Tables for a spreadsheet.
    module Csv
      # Start of a formula in a spreadsheet; names come from requests and must not become one.
      FORMULA = /\A[=+\-@]/
      # Figures that only look like formulas: "-12.3 %", "+5", "-24.2..+3.8 %", and "-" for none.
      NUMBER = /[\d.,]*\d(?: ?[%a-zA-Z]{1,4})?/
      FIGURE = /\A[+-](?:#{NUMBER}(?:\.\.[+-]?#{NUMBER})?)?\z/

      module_function

      def call(lines)
        lines.map { |line| "#{line.map { |field| quoted(harmless(field)) }.join(",")}\r\n" }.join
      end

      # @return [String] its tables in order, each under a line with its title; lists have a line per
      #   sentence. Unknown values are empty
      def of(page)
        page.sections.map { |section| call([[section.title], *lines(section)]) }.join("\r\n")
      end

      def lines(section)
        return section.notes.zip if section.columns.empty?
        rows = [*section.rows, *(section.total && [section.total])]
        [section.columns, *rows.map { |row| row.map { |cell| known(cell) } }]
      end

      def known(cell)
        (cell == Figures::NONE) ? nil : cell
      end

      def harmless(field)
        return field unless field.is_a?(String)
        text = Width.clean(field)
        (FORMULA.match?(text) && !FIGURE.match?(text)) ? "'#{text}" : text
      end

      def quoted(field)
        field.to_s.match?(/[",\r\n]/) ? %("#{field.to_s.gsub('"', '""')}") : field.to_s
      end
      private_class_method :known, :lines, :harmless, :quoted
    end
  end
end
