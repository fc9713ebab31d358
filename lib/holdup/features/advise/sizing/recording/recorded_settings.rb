# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # The settings of a recording's units. Those that differ only in an experiment arm's label are one.
      class Recording::RecordedSettings
        # @param warm_up_s [Integer] after a boot, ignored
        def initialize(windows, unit_samples: [], warm_up_s: 0)
          main, *others = Setting.alike(windows).sort_by { |same| -same.sum(&:count) }
          lasting = others.reject do |same|
            passing?(singly(same, unit_samples), singly(main, unit_samples), warm_up_s)
          end
          @alike = [main, *lasting].compact
        end

        # @return [Hash{Setting => Integer}] units of each, most first; of labels the one with most
        def to_h
          @to_h ||= @alike.to_h do |same|
            setting, = same.group_by(&:setting).max_by { |_, own| own.sum(&:count) }
            [setting, same.sum(&:count)]
          end
        end

        def first = @alike.first.to_a

        def fingerprints
          @fingerprints ||= first.map { |window| window.setting.fingerprint }.uniq
        end

        def first?(thing)
          fingerprints.include?(thing.setting&.fingerprint)
        end

        private

        # A web server shows its job runner only once that has booted: its processes have another setting
        # before, which does not count, like all of their first minutes.
        def passing?(units, later, warm_up_s)
          return false unless units.any? && units.all? { |unit| unit.age_ns < warm_up_s * NS }
          (units.map(&:process).uniq - later.map(&:process)).empty?
        end

        def singly(windows, unit_samples)
          own = windows.map { |window| window.setting&.fingerprint }.uniq
          unit_samples.select { |unit_sample| own.include?(unit_sample.setting&.fingerprint) }
        end
      end
    end
  end
end
