# frozen_string_literal: true

require_relative "page"
require_relative "section"
require_relative "style"
require_relative "table"

module Holdup
  module Reports
    # A page for a terminal or a pipe.
    class PageText
      # @param page [Page]
      # @param width [Integer] columns
      # @param style [Style]
      def initialize(page, width: 80, style: Style.none)
        @page = page
        @width = width
        @style = style
      end

      # @return [String] ends with a newline
      def call = "#{[*head, *remarks, *@page.sections.flat_map { |section| ["", *lines(section)] }].join("\n")}\n"

      private

      def head = [bold(@page.title), *@page.facts.flat_map { |fact| wrap(fact) }, "", *wrap(@page.lead).map { |line| bold(line) }]

      def remarks
        told = @page.remarks.flat_map { |remark| Width.wrap("! #{remark}", @width - 2).each_with_index.map { |line, index| index.zero? ? line : "  #{line}" } }
        told.empty? ? [] : ["", *told.map { |line| @style.paint(line, :yellow) }]
      end

      def lines(section) = [bold(Width.truncate(section.title, @width)), *table(section), *section.notes.flat_map { |note| wrap(note).map { |line| @style.paint(line, :dim) } }]

      def table(section)
        return [] if section.columns.empty?
        table = Table.new(section, width: @width)
        [@style.paint(table.head, :dim), *table.body]
      end

      def wrap(text) = Width.wrap(text, @width)

      def bold(text) = @style.paint(text, :bold)
    end
  end
end
