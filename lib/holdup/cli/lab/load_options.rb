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
        # @param console [Console]
        def initialize(experiment, console:)
          @experiment = experiment
          @path = console.env["PATH"].to_s
          @recorded = RecordedRequests.new(console)
        end

        # @param parser [OptionParser]
        # @param values [Hash{Symbol => Object}]
        # @return [void]
        def declare(parser, values)
          amount(parser, values)
          parser.on("--load-tool NAME", "instead of the built-in: #{tools.keys.join(", ")}") { |text|
            values[:tool] = Queries::OptionValues.choice("--load-tool", text, tools.keys.map(&:to_sym)).to_s
          }
          parser.on("--url PATH", "a request, such as /orders; also several times") { |text|
            (values[:urls] ||= []) << text
          }
          parser.on("--requests FILE", "one a line: 10 GET /products") { |text| values[:requests] = text }
          @recorded.declare(parser, values)
          parser.on("--port N", "where it listens, if not on $PORT or {port}") { |text| values[:port] = Queries::OptionValues.whole("--port", text, 1..65_535) }
        end

        # @param values [Hash{Symbol => Object}] that were read
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

        def tools = Holdup::Lab::LoadTools::ALL

        def rates_of(values, recorded)
          given = values.values_at(*AMOUNTS).compact
          return @recorded.ladder(recorded) if recorded && given.empty?
          given.one? ? given.first : raise(UsageError.new("lab #{@experiment} needs one load",
            "give --rate, --ladder or --connections"))
        end

        def amount(parser, values)
          parser.on("--rate N", "requests per second") { |text| values[:rates] = rates("--rate", text) }
          parser.on("--ladder N,N,N", "rates to climb until it is too much") { |text|
            values[:ladder] = rates("--ladder", text)
          }
          parser.on("--connections N,N", "of wrk or hey; each waits for its answer") do |text|
            values[:connections] =
              text.split(",").map { |part|
                Queries::OptionValues.whole("--connections", part,
                  CONNECTIONS)
              }.uniq.sort
          end
        end

        def rates(option, text)
          text.split(",").map { |part|
            rate(part) || TrialOptions.refuse(option, text,
              "requests per second above 0")
          }.uniq.sort
        end

        def rate(text)
          Float(text, exception: false)&.then { |rate| rate if rate.positive? && rate <= FASTEST }
        end

        def closed_tool
          Holdup::Lab::LoadTools.closed(@path) || raise(UsageError.new(
            "--connections needs wrk or hey, and neither is on this machine", "install one of them, or give --rate"
          ))
        end

        def check(tool, requests, connections:)
          if tool.closed? && !connections
            raise UsageError.new("#{tool::PROGRAM} knows no rate", "give --connections")
          end
          if connections && !tool.closed?
            raise UsageError.new("#{tool::PROGRAM} sends at a rate", "give --rate or --ladder")
          end
          refusal = tool.refusal(Holdup::Lab::Requests.routes(requests))
          if refusal
            raise UsageError.new(refusal, "leave out the other requests, or take another --load-tool")
          end
        end

        def requests(values)
          lines = [*values[:urls], *(Holdup::Lab::Requests.read(values[:requests]) if values[:requests])]
          lines.tap { Holdup::Lab::Requests.routes(lines) }
        end
      end
    end
  end
end
