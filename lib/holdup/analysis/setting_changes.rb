# frozen_string_literal: true

module Holdup
  module Analysis
    # When what runs got another setting inside a span: by a deployment, another Ruby, another number of
    # threads. Told by the units alone, so it reaches as far back as they do.
    class SettingChanges
      # - `at_s`: when units of the new setting were first seen; `server`: whose: "puma", "sidekiq", "shop
      #   puma"; nil where nothing says it
      # - `differences`: Array of Comparison::SettingDifferences::SettingDifference
      SettingChange = Data.define(:at_s, :server, :differences) do
        # @return [Boolean] whether the application itself is another
        def deployed?
          differences.any? { |one| one.subject == "revision" }
        end
      end

      # Units ended under this setting then.
      FirstSeen = Data.define(:at_s, :setting)

      # @param setting_starts [Array<FirstSeen>] of settings under which units ended, in any order
      # @param gone_s [Integer] without a unit for so long, a setting is no more
      def initialize(setting_starts, gone_s: SettingTurn::GONE_S)
        @setting_starts = setting_starts
        @gone_s = gone_s
      end

      # @return [Array<SettingChange>] in the order of time
      def to_a
        @setting_starts.group_by { |one| server(one.setting) }.flat_map { |server, own|
          marks(server,
            own)
        }.sort_by(&:at_s)
      end

      private

      def server(setting)
        ApplicationShares.server(setting, setting["server"] || setting["jobs"])
      end

      def marks(server, own)
        appearances(own).group_by(&:at_s).filter_map do |at_s, arrived|
          differences = differences(own, at_s, arrived.map(&:setting))
          SettingChange.new(at_s:, server:, differences:) if differences.any?
        end
      end

      def differences(own, at_s, after)
        before = before(own, at_s, after)
        before.empty? ? [] : Comparison::SettingDifferences.new(before, after).differences
      end

      # The first of each setting, and each that follows when it had been away.
      def appearances(own)
        own.group_by(&:setting).values.flat_map do |same|
          times = same.sort_by(&:at_s)
          [times.first, *times.each_cons(2).filter_map { |one, other| other if away?(own, one, other) }]
        end
      end

      # Where nothing else ran meanwhile, there was just nothing to do.
      def away?(own, one, other)
        other.at_s - one.at_s > @gone_s && own.any? { |each| each.at_s > one.at_s && each.at_s < other.at_s }
      end

      # What was there until then: all that was seen last, and shortly before that.
      def before(own, at_s, after)
        others = own.select { |one| one.at_s < at_s && !after.include?(one.setting) }
        last_s = others.map(&:at_s).max
        others.select { |one| one.at_s > last_s - @gone_s }.map(&:setting).uniq
      end
    end
  end
end
