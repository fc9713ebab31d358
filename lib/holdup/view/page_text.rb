# frozen_string_literal: true

module Holdup
  module View
    class PageText
      # @param width [Integer] columns
      # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
      def initialize(page, width: 80, table_width: width, style: Style.none)
        @page = page
        @layout = Layout.new(width:, style:, table_width:)
      end

      # @return [String] ends with a newline
      def call
        "#{[*head, *remarks, *@page.sections.flat_map { |section| ["", *lines(section)] }].join("\n")}\n"
      end

      private

      def head
        [*@layout.bold(@page.title), *@page.facts.flat_map { |fact| @layout.lines(fact) }, "",
          *@layout.bold(@page.lead)]
      end

      def remarks
        @page.remarks.empty? ? [] : ["", *@page.remarks.flat_map { |remark| @layout.warning(remark) }]
      end

      def lines(section)
        [*@layout.title(section), *@layout.table(section),
          *section.notes.flat_map { |note| @layout.lines(note, :dim) }]
      end
    end
  end
end
