# frozen_string_literal: true

module Holdup
  module View
    # The doctor's findings as lines: how it stands, and under what is not fine the remedy.
    class Findings
      COLORS = {ok: :green, warn: :yellow, fail: :red}.freeze

      # @param findings [Array<Doctor::CheckResult>]
      # @param words [Words]
      # @param width [Integer] columns
      # @param style [Style]
      def initialize(findings, words: Words.new, width: 80, style: Style.none)
        @findings = findings
        @words = words
        @width = width
        @style = style
      end

      # @return [String] ends with a newline
      def call
        [@style.paint(@words.call(:doctor_title), :bold), "",
          *@findings.flat_map { |finding| lines(finding) }, "", last].join("\n") + "\n"
      end

      private

      def lines(finding)
        first, *rest = wrap(text(finding.key, finding.facts))
        ["#{mark(finding.level)}  #{first}", *(rest + remedy(finding)).map { |line| "#{margin}#{line}" }]
      end

      def remedy(finding)
        finding.ok? ? [] : wrap("-> #{text(:"#{finding.key}_fix", finding.facts)}")
      end

      def text(key, facts)
        DoctorSentence.call(@words, key, facts)
      end

      def mark(level)
        @style.paint(Width.left(@words.call(:"level_#{level}"), mark_width), COLORS.fetch(level))
      end

      def mark_width
        COLORS.keys.map { |level| Width.of(@words.call(:"level_#{level}")) }.max
      end

      def margin = " " * (mark_width + 2)

      def wrap(text)
        Width.wrap(text, @width - mark_width - 2)
      end

      def last
        return @words.call(:doctor_sound) if @findings.all?(&:ok?)
        @words.call(:doctor_summary,
**COLORS.keys.to_h { |level| [level, @findings.count { |finding| finding.level == level }] })
      end
    end
  end
end
