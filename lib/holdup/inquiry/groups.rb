# frozen_string_literal: true

require_relative "../analysis/setting_names"
require_relative "../errors"
require_relative "nearest"

module Holdup
  module Inquiry
    # Settings put together by one of their facts, and the two that are compared: those that were asked for, else those with most
    # units, in the order in which they came.
    class Groups
      SETTING = "setting"

      # @param settings [Hash{Setting => Integer}] units of each, in the order in which they came
      # @param fact [String] "setting" for whole settings
      def initialize(settings, fact)
        @settings = settings
        @fact = fact
      end

      # @param values [Array<String>, nil] of the fact; of fingerprints the beginning is enough
      # @return [Hash{String => Array<Setting>}] two, by what they are called
      # @raise [UsageError] for a fact or value that there is not
      # @raise [Error] where there are not two
      def pick(values)
        found = values ? asked(values) : largest
        raise alone(values) if found.size < 2
        found.to_h { |value, settings| [label(value, settings), settings] }
      end

      # @param value [String] of the fact; of a fingerprint the beginning is enough
      # @return [Array<Setting>] that have it
      # @raise [UsageError] where there is none
      def settings(value) = groups.fetch(key(value))

      private

      def groups = @groups ||= @settings.keys.group_by { |setting| value(setting) }.reject { |value, _| value.empty? }

      def value(setting) = (@fact == SETTING) ? setting.fingerprint : setting[@fact].to_s

      def largest
        two = groups.max_by(2) { |_, settings| settings.sum { |setting| @settings[setting] } }.map(&:first)
        groups.slice(*groups.keys & two)
      end

      def asked(values) = values.to_h { |text| key(text).then { |value| [value, groups[value]] } }

      def key(text)
        groups.keys.find { |value| value == text } || groups.keys.find { |value| value.start_with?(text) } ||
          raise(UsageError.new("no #{@fact} of that span is #{text[0, 100].inspect}", "there are #{known}"))
      end

      def alone(values)
        return Error.new("no units were recorded in that span", "choose another with --since") if @settings.empty?
        return UsageError.new("no setting of that span says #{@fact[0, 100]}", Nearest.hint(@fact, facts) || "they have #{facts.join(", ")}") if groups.empty?
        return Error.new("#{values.first[0, 100].inspect} twice is no comparison", "give two of #{known}") if values
        Error.new("all units of that span have one #{@fact} (#{known}), so there is nothing to compare by it", "choose another span with --since, or --before and --after")
      end

      def facts = @settings.keys.flat_map { |setting| setting.attributes.keys }.uniq.sort

      def known = groups.empty? ? "none" : groups.keys.map { |value| value[0, 40] }.join(", ")

      def label(value, settings)
        (@fact == SETTING) ? Analysis::SettingNames.new(groups.values.flatten).name(settings.first) : "#{@fact} #{value}"
      end
    end
  end
end
