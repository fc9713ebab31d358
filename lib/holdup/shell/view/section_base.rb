# frozen_string_literal: true

module Holdup
  module View
    # Base class of sections: the rows that fit, their names, and words.
    class SectionBase
      # Of the summary, beside its windows.
      PARTS = [].freeze
      # Sentences about the first rows, and columns of a name in them.
      SENTENCES = 3
      NAME = 40

      # @param _summary [Analysis::Summary] with what was read so far
      # @return [Array<Symbol>] parts of the summary that the section needs
      def self.parts(_summary) = self::PARTS

      # @param limit [Integer] rows shown of each table
      def initialize(summary, words:, limit:)
        @summary = summary
        @words = words
        @limit = limit
      end

      private

      attr_reader :summary, :limit

      def word(key, **params) = @words.call(key, **params)

      def shown = summary.rows.first(limit)

      def hidden = summary.rows.drop(limit)

      # @return [Array<String>] the remark about rows that did not fit
      def more = more_rows(hidden.size)

      # @param all [Array] of which the first `limit` are listed
      # @return [Array<String>] the same for what is no row of the summary
      def beyond(all) = more_rows(all.size - limit)

      # @param count [Integer] of rows that did not fit; negative where there was room
      # @return [Array<String>]
      def more_rows(count)
        count.positive? ? [word(:more_rows, count: Figures.count(count))] : []
      end

      # "ReportJob [critical]"; shows the kind only if kinds are mixed.
      def label(name, queue: nil)
        text = Width.clean(name)
        (queue && queue != name) ? "#{text} [#{Width.clean(queue)}]" : text
      end

      def row_label(row)
        return word(:"no_queue_#{row.kind}") if summary.by == :queue && row.queue.nil? && row.kind
        label(row.name, queue: row.queue)
      end

      def title_of_names = word(:"by_#{summary.by}")

      def amount(number) = Figures.amount(number)

      def duration(value) = Figures.duration(value)

      # @return [String] mean duration of a sum over the row's units
      def each_unit(row, value)
        duration(row.per_unit(value))
      end

      # One row per name and the total: most sections need no more.
      def figures_section(title, columns, notes: [])
        Section.new(title: word(title), columns: [title_of_names, *columns],
          rows: shown.map { |row| [row_label(row), *yield(row)] },
          total: [word(:all), *yield(summary.total)], notes: more + notes)
      end
    end
  end
end
