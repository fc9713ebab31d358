# frozen_string_literal: true

module Holdup
  module Analysis
    # When the processes of a server last got another setting, as samples tell: by a deployment, another Ruby,
    # another number of threads, another machine.
    #
    # - `server`: "puma", "sidekiq", "shop puma" where applications have names; `at_s`: when the first process
    #   with a setting of now was seen
    # - `before`, `after`: fingerprints of the settings that it had last before, and that it has now
    SettingTurn = Data.define(:server, :at_s, :before, :after) do
      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param settings [Hash{String => Setting}] by fingerprint: those of one application, and there of one
      #   deployment, belong together
      # @return [Array<SettingTurn>] of each server the last
      def self.all(samples, settings: {})
        known = samples.select { |sample| sample[:setting] && sample[:server] }
        known.group_by { |sample| ApplicationShares.server(settings[sample[:setting]], sample[:server]) }
          .filter_map { |server, own|
          last(server, spans(own),
            settings.transform_values { |setting| setting["revision"] })
        }
      end

      # @return [Hash{String => Array(Integer, Integer)}] when each setting was seen first and last
      def self.spans(samples)
        samples.group_by { |sample| sample[:setting] }.transform_values { |same|
          same.map { |sample| sample[:at_s] }.minmax
        }
      end

      def self.last(server, spans, revisions)
        now_s = spans.values.map(&:last).max
        there, gone = spans.partition { |_, (_, last_s)| last_s > now_s - self::GONE_S }.map(&:to_h)
        return if gone.empty?
        latest = gone.max_by { |_, (_, last_s)| last_s }.first
        before = gone.keys.select { |one|
          one == latest || (revisions[one] && revisions[one] == revisions[latest])
        }
        new(server:, at_s: there.values.map(&:first).min, before:, after: there.keys)
      end
      private_class_method :spans, :last
    end

    # Without a sample for so long, no process has the setting any more.
    SettingTurn::GONE_S = 600
  end
end
