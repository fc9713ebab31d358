# frozen_string_literal: true

require_relative "../../../setting"

module Holdup
  module Analysis
    module Sizing
      class Recording
      end

      # Under which settings the units of a recording ran. Those that differ in the label of an experiment's arm alone are one.
      class Recording::Settings
        # @param windows [Array<Window>] of units
        def initialize(windows)
          @alike = Setting.alike(windows).sort_by { |same| -same.sum(&:count) }
        end

        # @return [Hash{Setting => Integer}] units of each, most first; of labels the one with most
        def to_h = @to_h ||= @alike.to_h { |same| [same.group_by(&:setting).max_by { |_, own| own.sum(&:count) }.first, same.sum(&:count)] }

        # @return [Array<Window>] of the one with most units
        def first = @alike.first.to_a

        # @return [Array<String>] of the one with most units, whatever its label
        def fingerprints = @fingerprints ||= first.map { |window| window.setting.fingerprint }.uniq

        # @param thing [#setting]
        # @return [Boolean] whether it is of the one with most units
        def first?(thing) = fingerprints.include?(thing.setting&.fingerprint)
      end
    end
  end
end
