# frozen_string_literal: true

module Holdup
  module Lab
    # A check's result for a terminal, a pipe, or the log of a CI run: the verdict, what got worse and why,
    # and all figures.
    class Check::Text
      COLUMNS = {acquisitions: :count, longest_hold_ns: :duration, p95_ns: :duration}.freeze
      WORSE = "!"

      # @param check [Check]
      # @param tolerance [Float]
      # @param words [View::Words]
      # @param width [Integer] columns
      # @param table_width [Numeric] columns of tables; Layout::WHOLE: no name is cut
      # @param style [View::Style]
      def initialize(check, tolerance:, words: View::Words.new, width: 80, table_width: width, style: View::Style.none)
        @check = check
        @tolerance = tolerance
        @words = words
        @layout = View::Layout.new(width:, style:, table_width:)
      end

      # @return [String] ends with a newline
      def call
        "#{[*@layout.lines(verdict, @check.passed? ? :green : :red), *worse, *remarks, *table].join("\n")}\n"
      end

      private

      def verdict
        @check.passed? ? word(:passed,
          count: names.size) : word(:failed, names: list(@check.worse.map(&:name).uniq))
      end

      def worse
        @check.worse.group_by(&:name).flat_map { |name, rows| @layout.warning(word(:worse, name: View::Width.clean(name), figures: figures(rows))) }
      end

      # Where only the p95 grew, the endpoint is not the one to look at.
      def figures(rows)
        said = rows.map { |row| word(:"worse_#{row.key}", **told(row)) }.join("; ")
        (rows.map(&:key) == [:p95_ns]) ? word(:worse_by_others, figures: said) : said
      end

      def told(row)
        %i[before after].to_h { |side| [side, View::Figures.public_send(COLUMNS.fetch(row.key), row.public_send(side))] }
      end

      def remarks
        {added: @check.added, gone: @check.gone,
         thin: @check.thin}.reject { |_, some| some.empty? }.flat_map { |key, some|
          @layout.lines(word(key, names: list(some), fewest: Endpoints::FEWEST))
        }
      end

      def table
        return [] if names.empty?
        section = View::Section.new(title: "", columns:, rows: names.map { |name| row(name) })
        ["", *@layout.table(section), *@layout.lines(word(:note, tolerance: View::Figures.share(@tolerance)))]
      end

      def columns
        [word(:endpoint),
          *[word(:acquisitions), word(:longest_hold), "p95"].flat_map { |title| [title, word(:was)] }]
      end

      def row(name)
        [View::Width.clean(name),
          *@check.rows.select { |row| row.name == name }.flat_map { |row| cells(row) }]
      end

      def cells(row)
        before, after = told(row).values_at(:before, :after)
        ["#{after}#{WORSE if row.worse?}", before]
      end

      def names = @check.rows.map(&:name).uniq

      def list(names)
        names.map { |name| View::Width.clean(name) }.join(", ")
      end

      def word(key, **facts)
        @words.call(:"check_#{key}", **facts)
      end
    end
  end
end
