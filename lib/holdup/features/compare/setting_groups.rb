# frozen_string_literal: true

module Holdup
  module Compare
    # Settings grouped by one fact, and the two groups to compare: those that were asked for, else the two
    # with most units, in order of first use. Whole settings that differ only in the label of an arm are one
    # group; two arms with the same setting are compared by arm.
    class SettingGroups
      SETTING = "setting"
      # Characters of a fingerprint in names of settings.
      SHORT = 6

      # `sides`: {label => Array of Setting}, two; `count`: number of all groups; `asked`: by name
      Picked = Data.define(:fact, :sides, :count, :asked) do
        def asked? = asked
      end

      attr_reader :fact

      # @param settings [Hash{Setting => Integer}] units of each, in order of first use
      # @param fact [String] "setting" for whole settings
      def initialize(settings, fact)
        @settings = settings
        @fact = fact
      end

      # @param values [Array<String>, nil] of the fact; the first characters of a fingerprint are enough
      # @raise [UsageError] for an unknown fact or value
      # @raise [Error] with fewer than two groups
      def pick(values)
        found = values ? asked(values) : largest
        raise nothing_to_compare(values) if found.size < 2
        sides = found.to_h { |value, _| [label(value), to_h[value]] }
        Picked.new(fact: @fact, sides:, count: to_h.size, asked: !values.nil?)
      end

      # Settings with that value of the fact, or whose fingerprint begins with it.
      # @raise [UsageError] when there is none
      def settings(value)
        found = to_h.fetch(key(value))
        return found unless @fact == SETTING
        same = found.select { |setting| setting.fingerprint.start_with?(value) }
        same.any? ? same : found
      end

      # @return [Hash{String => Array<Setting>}] by the value of the fact, in order of first use
      def to_h
        @to_h ||= @settings.keys.group_by { |setting| value(setting) }.reject { |value, _| nothing?(value) }
      end

      # @return [String] for a key of to_h: "jit yjit", "a1b2c3: threads=5"
      def label(value)
        return "#{@fact} #{value}" unless @fact == SETTING
        fingerprints = to_h[value].map { |setting| setting.fingerprint[0, SHORT] }.join(", ")
        facts = names.facts(to_h[value].first.unlabelled)
        facts.empty? ? fingerprints : "#{fingerprints}: #{facts.join(" ")}"
      end

      private

      def names
        @names ||= begin
          settings = to_h.values.map { |same| same.first.unlabelled }
          Analysis::SettingDifferences::SettingLabels.new(settings)
        end
      end

      def value(setting)
        (@fact == SETTING) ? setting.unlabelled.fingerprint : setting[@fact].to_s
      end

      def nothing?(value)
        value.empty? || (@fact == Setting::LABEL && value == ExperimentPlan::CHANGING)
      end

      def largest
        two = to_h.max_by(2) { |_, settings| settings.sum { |setting| @settings[setting] } }.map(&:first)
        to_h.slice(*to_h.keys & two)
      end

      def asked(values)
        values.to_h do |text|
          value = key(text)
          [value, to_h[value]]
        end
      end

      def key(text)
        key = to_h.keys.find { |value| value == text } || key_with_prefix(text)
        return key if key
        fix = to_h.empty? ? :there_are_none : :there_are
        value = text[0, 100].inspect
        raise View::InputError.new(:no_such_value, fix, fact: @fact, value:, names: known)
      end

      # Reports name settings by the fingerprint that includes the arm.
      def key_with_prefix(text)
        return to_h.keys.find { |value| value.start_with?(text) } unless @fact == SETTING
        found = to_h.find do |value, settings|
          [value, *settings.map(&:fingerprint)].any? { |fingerprint| fingerprint.start_with?(text) }
        end
        found&.first
      end

      def nothing_to_compare(values)
        return View::NoDataError.new(:nothing_in_span) if @settings.empty?
        return no_such_fact if to_h.empty?
        return only_arms if only_arms?(values)
        value = values&.first
        return View::NoDataError.new(:value_twice, value: value[0, 100].inspect, names: known) if value
        View::NoDataError.new(:one_value, fact: @fact, names: known)
      end

      def no_such_fact
        names = Queries::OptionValues::NearestName.spelled(@fact, facts)
        asked = @fact[0, 100].inspect
        return View::InputError.new(:no_such_fact, :did_you_mean, fact: asked, names:) if names.any?
        View::InputError.new(:no_such_fact, fact: asked, names: facts.join(", "))
      end

      # Whether more than one setting is in question, so that they differ only in their arm.
      def only_arms?(values)
        return false unless @fact == SETTING
        values ? values.map { |text| settings(text) }.uniq.size > 1 : @settings.size > 1
      end

      def only_arms
        View::NoDataError.new(:only_arms, fact: Setting::LABEL)
      end

      def facts
        @settings.keys.flat_map { |setting| setting.attributes.keys }.uniq.sort
      end

      def known
        to_h.keys.map { |value| value[0, 40] }.join(", ")
      end
    end
  end
end
