# frozen_string_literal: true

module Holdup
  module Notify
    # Which notices are due: each rule at most once an hour, and once more when what it found is over. In the
    # quiet hours none is; what still holds afterwards is told then.
    #
    # The source of a notice names the last one of its rule. So collectors that decide at the same time make
    # the same source, of which the store keeps one.
    class DueNotices
      # @param told [Array<Notice>] by time
      # @param plan [ConfigurationKeys::NotifyPlan]
      # @param minute [Integer] of the day, by the collector's clock
      # @param by [String] who would send them
      def initialize(told, plan:, now_s:, minute:, by:)
        @told = told
        @plan = plan
        @now_s = now_s
        @minute = minute
        @by = by
      end

      # @param findings [Array<NoticeRules::NoticeFinding>] of all rules
      # @return [Array<Notice>]
      def call(findings)
        return [] if quiet?
        found = findings.to_h { |finding| [finding.rule, finding] }
        @plan.rules.filter_map { |rule| of_rule(rule, found[rule]) }
      end

      # @return [Boolean]
      def quiet?
        QuietHours.parse(@plan.quiet)&.cover?(@minute) || false
      end

      private

      def of_rule(rule, finding)
        last = @told.reverse.find { |notice| notice.rule == rule.name }
        return over(rule, last) if finding.nil?
        return notice(rule, last, :noted, finding.facts) if finding.noted
        notice(rule, last, :began, finding.facts) unless repeated?(finding, rule)
      end

      # A state that lasts is told again after an hour only when it was over in between.
      def repeated?(finding, rule)
        began = @told.reverse.find { |notice| notice.rule == rule.name && notice.state == :began }
        return false if began.nil?
        return true if began.at_s > @now_s - HOUR_S
        last = @told.reverse.find { |notice| notice.rule == rule.name }
        finding.lasts && last.state == :began
      end

      def over(rule, last)
        return unless last&.state == :began && LASTING.include?(rule)
        notice(rule, last, :over, last.facts)
      end

      def notice(rule, last, state, facts)
        source = "#{rule} #{last ? "#{last.at_s} #{last.state}" : 0}"
        Notice.new(source:, rule: rule.name, state:, at_s: @now_s, by: @by, facts:)
      end

      # What these rules find can be over.
      LASTING = %i[stall slo revision collector store].freeze
      private_constant :LASTING
    end

    # "22:00-07:00", which goes past midnight. `from`, `to`: minutes of the day.
    DueNotices::QuietHours = Data.define(:from, :to) do
      # @param text [String, nil]
      # @return [QuietHours, nil]
      def self.parse(text)
        return unless text
        from, to = text.split("-").map do |clock|
          hours, minutes = clock.split(":").map(&:to_i)
          60 * hours + minutes
        end
        new(from:, to:)
      end

      # @param minute [Integer]
      def cover?(minute)
        return minute.between?(from, to - 1) if from <= to
        minute >= from || minute < to
      end

      # @return [Integer] how many minutes they last
      def minutes = (to - from) % 1440
    end
  end
end
