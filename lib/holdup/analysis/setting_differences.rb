# frozen_string_literal: true

module Holdup
  module Analysis
    # What differs between the settings of two sides. Facts that only change together are one subject: another
    # Ruby brings another patch level, and one variable (RAILS_MAX_THREADS) sets the threads, their least
    # number and the size of the pool. With more than one subject, the cause of a difference is unknown.
    class SettingDifferences
      SUBJECTS = {
        "ruby" => %w[ruby ruby_patch engine platform],
        "jit" => %w[jit jit_options jit_by jit_effective jit_stats],
        "server" => %w[server server_version],
        "jobs" => %w[jobs jobs_version],
        "machine" => %w[cpus vcpus max_cpu],
        "allocator" => %w[malloc malloc_arena_max malloc_conf]
      }.freeze
      THREADS = "threads"
      # Facts that are about the threads where they change as these do.
      FOLLOWING = /\A(?:min_threads|db_pool(?:\..+)?)\z/

      # `facts`: {String => [values before, values after]}, Arrays because a side may have several settings
      SettingDifference = Data.define(:subject, :facts) do
        # "ruby 3.3.8 -> 3.4.5, ruby_patch 144 -> 51"
        def to_s
          facts.map { |key, sides| "#{key} #{sides.map { |values| text(values) }.join(" -> ")}" }.join(", ")
        end

        private

        def text(values)
          values.map { |value| value.nil? ? "-" : value }.join("/")
        end
      end

      def initialize(before, after)
        @sides = [before, after]
      end

      def differences
        @differences ||= facts.group_by { |key, _| subject(key) }.map do |subject, pairs|
          SettingDifference.new(subject:, facts: pairs.to_h)
        end
      end

      def shared
        same = keys.select { |key| values(key).uniq.flatten(1).uniq.size == 1 }
        same.to_h { |key| [key, values(key).first.first] }
      end

      # Whether a side itself has several settings that differ in more than their label.
      def mixed?
        @sides.any? { |settings| settings.map(&:unlabelled).uniq.size > 1 }
      end

      # Whether exactly one subject differs.
      def single?
        differences.one? && !mixed?
      end

      # Whether no recorded fact differs.
      def none? = differences.empty?

      private

      def facts
        @facts ||= keys.to_h { |key| [key, values(key)] }.reject { |_, (before, after)| before == after }
      end

      def keys
        @sides.flatten.flat_map { |setting| setting.attributes.keys }.uniq.sort - [Setting::LABEL]
      end

      def values(key)
        @sides.map { |settings| settings.map { |setting| setting[key] }.uniq.sort_by(&:to_s) }
      end

      def subject(key)
        return THREADS if FOLLOWING.match?(key) && facts[key] == facts[THREADS]
        SUBJECTS.find { |_, keys| keys.include?(key) }&.first || key
      end

      # Names settings by what differs between them ("threads=3", "threads=5"): a fingerprint means nothing to
      # a reader, and thirty equal facts hide the one that counts.
      class SettingLabels
        # A web server and a job runner of one application have a setting each, without any change.
        ROLE = %w[app server jobs].freeze

        attr_reader :settings

        def initialize(settings)
          @settings = settings.uniq(&:fingerprint)
        end

        # @return [Integer] the most settings that one web server or job runner had
        def most_of_a_role = by_role.values.map(&:size).max || 0

        # @return [Hash{Array => Array<Setting>}]
        def by_role = @settings.group_by { |setting| setting.attributes.values_at(*ROLE) }

        # "a1b2c3: threads=5"
        def name(setting)
          return "-" unless setting
          ["#{setting.fingerprint[0, 6]}:", *facts(setting)].join(" ").delete_suffix(":")
        end

        # "key=value" of each fact of it that is not the same in all settings.
        def facts(setting)
          setting.attributes.slice(*differing).compact.map { |key, value| "#{key}=#{value}" }
        end

        def shared
          @shared ||= (keys - differing).to_h { |key| [key, @settings.first.attributes[key]] }
        end

        private

        def differing
          @differing ||= keys.select do |key|
            @settings.map { |setting| setting.attributes[key] }.uniq.size > 1
          end
        end

        def keys
          @settings.flat_map { |setting| setting.attributes.keys }.uniq
        end
      end
    end
  end
end
