# frozen_string_literal: true

module Holdup
  module Analysis
    # When a server got another setting inside a span: by a deployment, another Ruby, another number of
    # threads. It looks at units only, so it reaches as far back as they are kept.
    class SettingChanges
      # Of the units that have settings.
      KINDS = %i[request job].freeze

      # `at_s`: when units of the new setting were first seen; `server`: "puma", "shop puma", nil if unknown
      SettingChange = Data.define(:at_s, :server, :differences) do
        def deployed?
          differences.any? { |difference| difference.subject == "revision" }
        end
      end

      FirstSeen = Data.define(:at_s, :setting)

      # @param setting_starts [Array<FirstSeen>] of settings under which units ended, in any order
      # @param gone_s [Integer] a setting without a unit for so long counts as unused
      def initialize(setting_starts, gone_s: LatestChange::GONE_S)
        @setting_starts = setting_starts
        @gone_s = gone_s
      end

      def to_a
        by_server = @setting_starts.group_by { |seen| server(seen.setting) }
        by_server.flat_map { |server, seen| changes(server, seen) }.sort_by(&:at_s)
      end

      private

      def server(setting)
        ApplicationShares.server(setting, setting["server"] || setting["jobs"])
      end

      def changes(server, all)
        appearances(all).group_by(&:at_s).filter_map do |at_s, arrived|
          differences = differences(all, at_s, arrived.map(&:setting))
          SettingChange.new(at_s:, server:, differences:) if differences.any?
        end
      end

      def differences(all, at_s, after)
        before = before(all, at_s, after)
        before.empty? ? [] : SettingDifferences.new(before, after).differences
      end

      # The first of each setting, and the first after it was away.
      def appearances(all)
        all.group_by(&:setting).values.flat_map do |same|
          times = same.sort_by(&:at_s)
          returns = times.each_cons(2).filter_map { |one, other| other if away?(all, one, other) }
          [times.first, *returns]
        end
      end

      # Where no other setting ran meanwhile, only traffic was missing.
      def away?(all, one, other)
        return false unless other.at_s - one.at_s > @gone_s
        all.any? { |seen| seen.at_s > one.at_s && seen.at_s < other.at_s }
      end

      # The settings seen last before the change, and shortly before those.
      def before(all, at_s, after)
        others = all.select { |seen| seen.at_s < at_s && !after.include?(seen.setting) }
        last_s = others.map(&:at_s).max
        others.select { |seen| seen.at_s > last_s - @gone_s }.map(&:setting).uniq
      end

      # When the processes of a server last got another setting, from the samples of its processes.
      # - `server`: "puma", "sidekiq", "shop puma" where applications have names; `at_s`: when the first
      #   process with a present setting was seen
      # - `before`, `after`: fingerprints of the settings that it had last before, and that it has now
      class LatestChange < Data.define(:server, :at_s, :before, :after)
        # A setting without a sample for so long counts as unused.
        GONE_S = 600

        # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
        # @param settings [Hash{String => Setting}] by fingerprint: settings of one application, and of one
        #   deployment of it, belong together
        # @return [Array<LatestChange>] at most one for each server
        def self.all(samples, settings: {})
          known = samples.select { |sample| sample[:setting] && sample[:server] }
          revisions = settings.transform_values { |setting| setting["revision"] }
          by_server = known.group_by do |sample|
            ApplicationShares.server(settings[sample[:setting]], sample[:server])
          end
          by_server.filter_map { |server, same| last(server, seen(same), revisions) }
        end

        # @return [Hash{String => Array(Integer, Integer)}] when each setting was seen first and last
        def self.seen(samples)
          by_setting = samples.group_by { |sample| sample[:setting] }
          by_setting.transform_values { |same| same.map { |sample| sample[:at_s] }.minmax }
        end

        def self.last(server, seen, revisions)
          now_s = seen.values.map(&:last).max
          present, gone = seen.partition { |_, (_, last_s)| last_s > now_s - GONE_S }.map(&:to_h)
          return if gone.empty?
          latest = gone.max_by { |_, (_, last_s)| last_s }.first
          before = gone.keys.select do |fingerprint|
            fingerprint == latest || (revisions[fingerprint] && revisions[fingerprint] == revisions[latest])
          end
          new(server:, at_s: present.values.map(&:first).min, before:, after: present.keys)
        end
        private_class_method :seen, :last
      end
    end
  end
end
