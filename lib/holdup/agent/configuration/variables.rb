# frozen_string_literal: true

require_relative "keys"

module Holdup
  class Configuration
    # Unknown environment variables that look like Holdup's are reported, because a mistyped name has no
    # effect.
    module Variables
      PREFIX = "HOLDUP_"
      SETTINGS = ConfigurationKeys::ALL.filter_map(&:env).freeze
      # Read at each tick, not a setting: it must also work where the application's code has set others.
      SWITCHES = %w[HOLDUP_AUTOPILOT_FREEZE].freeze
      # Set by `holdup exec` for the application that it starts.
      INTERNAL = %w[HOLDUP_SUPERVISED].freeze
      # Used by the repository's scripts: set-up, tests, benchmarks, the extension's build.
      DEVELOPMENT = %w[
        HOLDUP_ASAN HOLDUP_BENCH_PADDING HOLDUP_BENCH_SCRATCH HOLDUP_CACHE HOLDUP_FUZZ_CASES HOLDUP_FUZZ_FIRST
        HOLDUP_FUZZ_SEED HOLDUP_JRUBY HOLDUP_PEDANTIC HOLDUP_PLATFORM HOLDUP_PRIMARY HOLDUP_ROOT HOLDUP_RUBY
        HOLDUP_SECOND HOLDUP_TEST_KILLS HOLDUP_TEST_OUTAGE_S HOLDUP_TEST_TIMES
      ].freeze
      KNOWN = [*SETTINGS, *SWITCHES, *INTERNAL, *DEVELOPMENT].freeze

      class << self
        # Names that nothing reads.
        def unknown(env)
          env.keys.select { |name| name.start_with?(PREFIX) && !KNOWN.include?(name) }.sort
        end

        # The variable that was probably meant.
        def nearest(name)
          return unless defined?(::DidYouMean::SpellChecker) # an application may switch it off
          words = SETTINGS.map { |setting| setting.delete_prefix(PREFIX) }
          given = name.delete_prefix(PREFIX)[0, 50]
          # The checker does not find swapped letters in short words.
          swapped = words.find { |word| word.chars.sort == given.chars.sort }
          word = swapped || ::DidYouMean::SpellChecker.new(dictionary: words).correct(given).first
          "#{PREFIX}#{word}" if word
        end

        def warning(names)
          suggestions = names.map do |name|
            meant = nearest(name)
            meant ? "#{name} (did you mean #{meant}?)" : name
          end
          "no such setting, so it has no effect: #{suggestions.join(", ")}; " \
            "docs/configuration.md lists the variables of the environment"
        end
      end
    end
  end
end
