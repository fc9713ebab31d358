# frozen_string_literal: true

require_relative "advice_figures"
require_relative "advice_findings"
require_relative "advice_table"
require_relative "advice_verdict"
require_relative "style"
require_relative "table"
require_relative "words"

module Holdup
  module Reports
    # What `holdup advise` says, for a terminal: the verdict first, the table of settings, why Amdahl's law is not it, and what
    # else to do.
    class Advice
      WIDTH = 80

      # @param recommendation [Analysis::Sizing::Recommendation, nil] nil where no single units were recorded
      # @param findings [Array<Holdup::Advice::Finding>]
      # @param span [String] of time, in words
      # @param kind [Symbol] of the units
      # @param words [Words]
      # @param width [Integer] columns
      # @param style [Style]
      # @param limit [Integer] rows of the table
      def initialize(recommendation, findings, span:, kind: :request, words: Words.new, width: WIDTH, style: Style.none, limit: AdviceTable::LIMIT)
        @verdict = AdviceVerdict.new(recommendation, span:, words:, kind:)
        @table = AdviceTable.new(recommendation, words:, limit:)
        @findings = AdviceFindings.new(findings, words:)
        @words = words
        @width = width
        @style = style
      end

      # @return [String] ends with a newline
      def call = "#{[*head, *table, *findings].join("\n")}\n"

      private

      def head
        [*wrap(@verdict.title), "", *wrap(@verdict.sentence).map { |line| @style.paint(line, :bold) }, *@verdict.details.flat_map { |text| wrap(text) }]
      end

      def table
        section = @table.section or return []
        layout = Table.new(section, width: @width)
        ["", @style.paint(section.title, :bold), @style.paint(layout.head, :dim), *layout.body, *section.notes.flat_map { |note| wrap(note) },
          "", *wrap(@verdict.amdahl)]
      end

      def findings
        return ["", *wrap(@words.call(:advice_no_findings))] if @findings.empty?
        ["", @style.paint(@words.call(:advice_findings), :bold), *@findings.each.with_index(1).flat_map { |finding, number| lines(finding, number) }]
      end

      def lines(finding, number)
        margin = " " * (label_width + 5)
        first, *rest = Width.wrap(finding.what, @width - 3)
        ["", @style.paint("#{number.to_s.rjust(1)}. #{first}", :bold), *rest.map { |line| @style.paint("   #{line}", :bold) },
          *finding.parts.flat_map { |part| part(part, margin) }]
      end

      def part(part, margin)
        first, *rest = Width.wrap(part.text, @width - margin.size)
        ["   #{Width.left(part.label, label_width)}  #{first}", *(rest + part.diff).map { |line| "#{margin}#{line}" }]
      end

      def label_width = @label_width ||= @findings.labels.map { |label| Width.of(label) }.max

      def wrap(text) = Width.wrap(text, @width)
    end
  end
end
