# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # The options of a load: which requests, how many, and who sends them.
      class LoadOptions
        AMOUNTS = %i[rates ladder connections].freeze
        FASTEST = 100_000
        CONNECTIONS = (1..1000)

        # @param experiment [String] "sweep"
        def initialize(experiment, console:)
          @experiment = experiment
          @path = console.env["PATH"].to_s
          @recorded = RecordedRequests.new(console)
        end

        def declare(parser, values)
          amount(parser, values)
          parser.on("--load-tool NAME", "instead of the built-in: #{tools.keys.join(", ")}") do |text|
            values[:tool] = Queries::OptionValues.choice("--load-tool", text, tools.keys.map(&:to_sym)).to_s
          end
          parser.on("--url PATH", "a request, such as /orders; also several times") do |text|
            (values[:urls] ||= []) << text
          end
          parser.on("--requests FILE", "one a line: 10 GET /products") { |text| values[:requests] = text }
          @recorded.declare(parser, values)
          parser.on("--port N", "where it listens, if not on $PORT or {port}") do |text|
            values[:port] = Queries::OptionValues.whole("--port", text, 1..65_535)
          end
        end

        # @param values [Hash{Symbol => Object}] as parsed
        # @return [Hash{Symbol => Object}] keywords of a plan
        # @raise [UsageError]
        def plan(values)
          recorded = @recorded.call(values)
          rates = rates_of(values, recorded)
          requests = recorded ? recorded.lines : requests(values)
          tool = values.fetch(:tool) { closed_tool if values.key?(:connections) }
          check(tools.fetch(tool), requests, connections: values.key?(:connections)) if tool
          {requests:, rates:, tool:, recorded: recorded&.to_h, **values.slice(:port)}
        end

        private

        def tools = Holdup::Lab::LoadTool::ALL

        def rates_of(values, recorded)
          given = values.values_at(*AMOUNTS).compact
          return @recorded.ladder(recorded) if recorded && given.empty?
          return given.first if given.one?
          raise UsageError.new("lab #{@experiment} needs one load", "give --rate, --ladder or --connections")
        end

        def amount(parser, values)
          parser.on("--rate N", "requests per second") { |text| values[:rates] = rates("--rate", text) }
          parser.on("--ladder N,N,N", "rates to climb until it is too much") do |text|
            values[:ladder] = rates("--ladder", text)
          end
          parser.on("--connections N,N", "of wrk or hey; each waits for its answer") do |text|
            values[:connections] = connections(text)
          end
        end

        def connections(text)
          Queries::OptionValues.list("--connections", text, CONNECTIONS)
        end

        def rates(option, text)
          rates = Queries::OptionValues.parts(text).map { |part| rate(part) }
          TrialOptions.refuse(option, text, "requests per second above 0") unless rates.all?
          rates.uniq.sort
        end

        def rate(text)
          rate = Float(text, exception: false)
          rate if rate&.positive? && rate <= FASTEST
        end

        def closed_tool
          tool = Holdup::Lab::LoadTool.closed(@path)
          return tool if tool
          raise UsageError.new("--connections needs wrk or hey, and neither is on this machine",
            "install one of them, or give --rate")
        end

        def check(tool, requests, connections:)
          if tool.closed? && !connections
            raise UsageError.new("#{tool::PROGRAM} can't send at a rate", "give --connections")
          end
          if connections && !tool.closed?
            raise UsageError.new("#{tool::PROGRAM} sends at a rate", "give --rate or --ladder")
          end
          refusal = tool.refusal(Holdup::Lab::Route::Lines.routes(requests))
          return unless refusal
          raise UsageError.new(refusal, "leave out the other requests, or take another --load-tool")
        end

        def requests(values)
          lines = [*values[:urls]]
          lines.concat(Holdup::Lab::Route::Lines.read(values[:requests])) if values[:requests]
          # Raises if a line is not a request.
          Holdup::Lab::Route::Lines.routes(lines)
          lines
        end

        # The option `--recorded`: takes requests and rates from a store, and explains what to do if it has no
        # paths.
        class RecordedRequests
          SINCE_S = 86_400
          SPAN = %i[since until].freeze
          # Below this many requests a second none waits for another, with any setting.
          FEWEST = 1.0

          def initialize(console)
            @console = console
            @now_s = console.clock.realtime_s
          end

          def declare(parser, values)
            parser.on("--recorded [STORE]", "GETs as they came ($HOLDUP_STORE), with their rate") do |text|
              values[:recorded] = text.to_s
            end
            since = "of the recording: 1d (the default) ago, or a date"
            Options.span(parser, values, now_s: @now_s, since:)
          end

          # @param values [Hash{Symbol => Object}] as parsed
          # @return [Holdup::Lab::RecordedTraffic, nil] nil: without --recorded
          # @raise [Holdup::Error] the store has no recording, or no paths; then it prints the endpoints, for
          #   the user to add paths
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

          # @raise [UsageError]
          def ladder(recorded)
            return recorded.ladder if recorded.rate >= FEWEST
            rate = format("%.2g", recorded.rate)
            raise UsageError.new(
              "only #{rate} requests a second were recorded, too few to wait for each other",
              "give --rate or --ladder"
            )
          end

          private

          def check(values)
            if (values.keys & SPAN).any? && !values.key?(:recorded)
              raise UsageError.new("--since and --until choose a recording",
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
            Places.reading(@console.env, store.empty? ? nil : store) do |opened|
              Holdup::Lab::RecordedTraffic.read(opened, from_s, to_s, app:)
            end
          end

          def pathless(found)
            @console.out.puts(found.outline)
            raise Error.new("no paths were recorded",
              "set config.example_paths = true (HOLDUP_EXAMPLE_PATHS=on) where the application runs, " \
              "or write paths into the lines above and give them with --requests FILE")
          end
        end
      end
    end
  end
end
