# frozen_string_literal: true

module Holdup
  module Analysis
    # What is not the same in the settings of both sides. Facts that only ever change together are one thing
    # that changed: with another Ruby comes another patch level. More than one thing, and nobody can say
    # which of them did it.
    class SettingDifferences
      # The thing => the facts that tell of it.
      SUBJECTS = {"ruby" => %w[ruby ruby_patch engine platform], "jit" => %w[jit jit_options jit_by jit_effective], "server" => %w[server server_version],
                  "jobs" => %w[jobs jobs_version], "machine" => %w[cpus vcpus max_cpu], "allocator" => %w[malloc malloc_arena_max malloc_conf]}.freeze

      # `subject`: String; `facts`: {String => [values before, values after]}, Arrays because a side may
      # have several settings
      SettingDifference = Data.define(:subject, :facts) do
        # @return [String] "ruby 3.3.8 -> 3.4.5, ruby_patch 144 -> 51"
        def to_s
          facts.map { |key, sides| "#{key} #{sides.map { |values| values.map { |value| value.nil? ? "-" : value }.join("/") }.join(" -> ")}" }.join(", ")
        end
      end

      # @param before [Array<Setting>]
      # @param after [Array<Setting>]
      def initialize(before, after)
        @sides = [before, after]
      end

      # @return [Array<SettingDifference>]
      def differences
        @differences ||= facts.group_by { |key, _| subject(key) }.map { |subject, pairs|
          SettingDifference.new(subject:, facts: pairs.to_h)
        }
      end

      # @return [Hash{String => Object}] what is the same in all settings
      def shared
        keys.select { |key| values(key).uniq.flatten(1).uniq.size == 1 }.to_h { |key|
          [key, values(key).first.first]
        }
      end

      # @return [Boolean] whether a side is itself of several settings that differ in more than their label
      def mixed?
        @sides.any? { |settings| settings.map(&:unlabelled).uniq.size > 1 }
      end

      # @return [Boolean] whether one thing alone differs
      def single?
        differences.one? && !mixed?
      end

      # @return [Boolean] whether nothing differs that is recorded
      def none? = differences.empty?

      private

      def facts
        keys.to_h { |key| [key, values(key)] }.reject { |_, (before, after)| before == after }
      end

      def keys
        @sides.flatten.flat_map { |setting| setting.attributes.keys }.uniq.sort - [Setting::LABEL]
      end

      def values(key)
        @sides.map { |settings| settings.map { |setting| setting[key] }.uniq.sort_by(&:to_s) }
      end

      def subject(key)
        SUBJECTS.find { |_, keys| keys.include?(key) }&.first || key
      end

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
end
