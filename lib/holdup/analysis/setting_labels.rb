# frozen_string_literal: true

module Holdup
  module Analysis
    # Tells settings apart by what differs between them ("threads=3", "threads=5"), because a fingerprint
    # tells a reader nothing and thirty equal facts hide the one that counts.
    class SettingLabels
      attr_reader :settings

      # @param settings [Array<Holdup::Setting>]
      def initialize(settings)
        @settings = settings.uniq(&:fingerprint)
      end

      # @param setting [Holdup::Setting, nil]
      # @return [String] "a1b2c3 threads=5"
      def name(setting)
        return "-" unless setting
        ["#{setting.fingerprint[0, 6]}:", *facts(setting)].join(" ").delete_suffix(":")
      end

      # @return [Array<String>] "key=value" of what it has and is not the same in all settings
      def facts(setting)
        setting.attributes.slice(*differing).compact.map { |key, value| "#{key}=#{value}" }
      end

      # @return [Hash{String => Object}] what all settings share
      def shared
        @shared ||= keys.reject { |key| differing.include?(key) }.to_h { |key|
          [key, @settings.first.attributes[key]]
        }
      end

      private

      def differing
        @differing ||= keys.select { |key| @settings.map { |setting| setting.attributes[key] }.uniq.size > 1 }
      end

      def keys
        @settings.flat_map { |setting| setting.attributes.keys }.uniq
      end
    end
  end
end
