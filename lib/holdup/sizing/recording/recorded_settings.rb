# frozen_string_literal: true

module Holdup
  module Sizing
    class Recording
    end

    # Under which settings the units of a recording ran. Those that differ in the label of an experiment's arm
    # alone are one.
    class Recording::RecordedSettings
      NS = 1_000_000_000

      # @param windows [Array<Window>] of units
      # @param profiles [Array<UnitSample>] likewise
      # @param warm_up_s [Integer] after a boot, that doesn't count
      def initialize(windows, profiles: [], warm_up_s: 0)
        main, *others = Setting.alike(windows).sort_by { |same| -same.sum(&:count) }
        lasting = others.reject { |same| passing?(singly(same, profiles), singly(main, profiles), warm_up_s) }
        @alike = [main, *lasting].compact
      end

      # @return [Hash{Setting => Integer}] units of each, most first; of labels the one with most
      def to_h
        @to_h ||= @alike.to_h do |same|
          setting, = same.group_by(&:setting).max_by { |_, own| own.sum(&:count) }
          [setting, same.sum(&:count)]
        end
      end

      # @return [Array<Window>] of the one with most units
      def first = @alike.first.to_a

      # @return [Array<String>] of the one with most units, whatever its label
      def fingerprints
        @fingerprints ||= first.map { |window| window.setting.fingerprint }.uniq
      end

      # @return [Boolean] whether it is of the one with most units
      def first?(thing)
        fingerprints.include?(thing.setting&.fingerprint)
      end

      private

      # Until its job runner boots, nobody knows of a web server that it has one: what the same processes did
      # so early has another setting and does not count, as all of their first minutes.
      def passing?(units, later, warm_up_s)
        return false unless units.any? && units.all? { |unit| unit.age_ns < warm_up_s * NS }
        (units.map(&:process).uniq - later.map(&:process)).empty?
      end

      def singly(windows, profiles)
        own = windows.map { |window| window.setting&.fingerprint }.uniq
        profiles.select { |profile| own.include?(profile.setting&.fingerprint) }
      end
    end
  end
end
