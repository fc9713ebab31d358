# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # The option `--recorded`: requests and rates out of a store, and what to do where that has no paths.
      class RecordedRequests
        SINCE_S = 86_400
        SPAN = %i[since until].freeze
        # Fewer in a second wait for nobody, whatever the setting.
        FEWEST = 1.0

        # @param console [Console]
        def initialize(console)
          @console = console
          @now_s = console.clock.realtime_s
        end

        # @param parser [OptionParser]
        # @param values [Hash{Symbol => Object}]
        # @return [void]
        def declare(parser, values)
          parser.on("--recorded [STORE]", "GETs as they came ($HOLDUP_STORE), with their rate") { |text|
            values[:recorded] = text.to_s
          }
          parser.on("--since TIME", "of the recording: 1d (the default) ago, or a date") { |text|
            values[:since] = Queries::OptionValues.moment("--since", text, now_s: @now_s)
          }
          parser.on("--until TIME", "the same; now is the default") { |text| values[:until] = Queries::OptionValues.moment("--until", text, now_s: @now_s) }
        end

        # @param values [Hash{Symbol => Object}] that were read
        # @return [Holdup::Lab::RecordedTraffic, nil] nil: nobody asks for it
        # @raise [Holdup::Error] there is none, or it has no paths; then its endpoints are printed, to fill in
        #   theirs
        def call(values)
          check(values)
          return unless values.key?(:recorded)
          found = read(values[:recorded], *span(values))
          if found.endpoints.empty?
            raise Error.new("no requests were recorded in that span",
              "choose another with --since and --until")
          end
          if found.apps.size > 1
            raise UsageError.new("the recording is of several applications: #{found.apps.join(", ")}",
              "say with HOLDUP_APP which one the command serves")
          end
          pathless(found) if found.known.empty?
          found
        end

        # @param recorded [Holdup::Lab::RecordedTraffic]
        # @return [Array<Float>]
        # @raise [UsageError]
        def ladder(recorded)
          return recorded.ladder if recorded.rate >= FEWEST
          raise UsageError.new(
            "only #{format("%.2g",
              recorded.rate)} requests a second were recorded, too few to wait for each other", "give --rate or --ladder"
          )
        end

        private

        def check(values)
          if (values.keys & SPAN).any? && !values.key?(:recorded)
            raise UsageError.new("--since and --until are of a recording",
              "add --recorded, or leave them out")
          end
          if values.key?(:recorded) && (values.keys & %i[urls requests]).any?
            raise UsageError.new("--recorded brings its own requests", "leave out --url and --requests")
          end
        end

        def span(values)
          to_s = values.fetch(:until, @now_s)
          [values.fetch(:since, to_s - SINCE_S), to_s]
        end

        def read(store, from_s, to_s)
          app = Configuration.build(env: @console.env).app
          Places.reading(@console.env, store.empty? ? nil : store) { |opened| Holdup::Lab::RecordedTraffic.read(opened, from_s, to_s, app:) }
        end

        def pathless(found)
          @console.out.puts(found.outline)
          raise Error.new("no paths were recorded",
            "set config.example_paths = true (HOLDUP_EXAMPLE_PATHS=on) where the application runs, or write paths into the lines above and give them with --requests FILE")
        end
      end
    end
  end
end
