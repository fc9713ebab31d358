# frozen_string_literal: true

module Holdup
  module Lab
    class Check
      # A check's result as a page: the verdict, what got worse and why, and all figures.
      class Report
        COLUMNS = {acquisitions: :count, longest_hold_ns: :duration, p95_ns: :duration}.freeze
        WORSE = "!"

        def initialize(check, tolerance:, words: View::Words.new)
          @check = check
          @tolerance = tolerance
          @words = words
        end

        # @return [View::Page]
        def page
          View::Page.new(title: word(:title),
            blocks: [verdict, View::Blocks::Notes.new(texts: reasons, warning: true), remarks, *table])
        end

        private

        def verdict
          passed = word(:passed, count: names.size)
          return View::Blocks::Lead.new(text: passed, level: :good) if @check.passed?
          worse = list(@check.worse.map(&:name).uniq)
          View::Blocks::Lead.new(text: word(:failed, names: worse), level: :fail)
        end

        # What got worse of each endpoint.
        def reasons
          @check.worse.group_by(&:name).map do |name, rows|
            word(:worse, name: View::Width.clean(name), figures: figures(rows))
          end
        end

        # If only the p95 grew, the cause is in other endpoints.
        def figures(rows)
          figures = rows.map { |row| word(:"worse_#{row.key}", **formatted(row)) }.join("; ")
          (rows.map(&:key) == [:p95_ns]) ? word(:worse_by_others, figures:) : figures
        end

        # @return [Hash{Symbol => String}] before and after
        def formatted(row)
          format = View::Figures.method(COLUMNS.fetch(row.key))
          {before: format.call(row.before), after: format.call(row.after)}
        end

        def remarks
          endpoints = {added: @check.added, gone: @check.gone, thin: @check.thin}
          known = endpoints.reject { |_, names| names.empty? }
          texts = known.map { |key, names| word(key, names: list(names), fewest: Endpoints::FEWEST) }
          View::Blocks::Notes.new(texts:)
        end

        def table
          return [] if names.empty?
          note = word(:note, tolerance: View::Figures.share(@tolerance))
          [View::Section.new(title: "", columns:, rows: names.map { |name| row(name) }, notes: [note])]
        end

        def columns
          figures = [word(:acquisitions), word(:longest_hold), "p95"]
          [word(:endpoint), *figures.flat_map { |title| [title, word(:was)] }]
        end

        def row(name)
          own = @check.rows.select { |row| row.name == name }
          [View::Width.clean(name), *own.flat_map { |row| cells(row) }]
        end

        def cells(row)
          figures = formatted(row)
          ["#{figures[:after]}#{WORSE if row.worse?}", figures[:before]]
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
end
