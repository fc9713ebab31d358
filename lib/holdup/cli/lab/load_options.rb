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
          # @return [Holdup::Lab::Route::RecordedTraffic, nil] nil: without --recorded
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
            app = Configuration.build(env: Configuration.readable(@console.env)).app
            Places.reading(@console.env, store.empty? ? nil : store) do |opened|
              Holdup::Lab::Route::RecordedTraffic.read(opened, from_s, to_s, app:)
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

      # The options that all experiments with the user's own server share: load, duration and output.
      class LoadOptions::TrialOptions
        SPANS = {seconds: 20, rounds: 2, warm_up_s: 45}.freeze
        # Values outside the plan.
        OUTPUT = %i[store format language].freeze
        COMMAND = "end with it: -- bundle exec puma -p {port}"

        # @param experiment [String] "sweep"
        # @param usage [String] usage lines of this experiment only
        # @param spans [Hash{Symbol => Numeric}] other defaults than SPANS
        def initialize(experiment, usage:, console:, spans: {})
          @experiment = experiment
          @usage = "holdup lab #{experiment} #{usage} [options] -- COMMAND"
          @kept = SavedResult.new(experiment, now_s: console.clock.realtime_s, output: OUTPUT)
          @load = LoadOptions.new(experiment, console:)
          @spans = SPANS.merge(spans)
        end

        # @yieldparam parser [OptionParser] for further options
        # @return [Hash{Symbol => Object}] values, or {help: text}
        # @raise [UsageError]
        def parse(argv)
          Options.new(@usage, rest: :command) do |parser, values|
            yield parser, values
            @load.declare(parser, values)
            spans(parser, values)
            output(parser, values)
          end.parse(argv)
        end

        # @param values [Hash{Symbol => Object}] from parse
        # @yieldreturn [Array(Array<Holdup::Lab::Arm>, Holdup::Lab::Arm)] arms and baseline of a new plan
        # @return [Hash{Symbol => Object}] keywords of the command: the experiment's file, new or resumed, and
        #   the output
        # @raise [UsageError]
        def keywords(values)
          ledger = @kept.ledger(values, Holdup::Lab::Sweep::ProgressFile) { plan(values, *yield) }
          {ledger:, **values.slice(*OUTPUT)}
        end

        # @raise [UsageError]
        def self.refuse(option, text, takes)
          raise(UsageError.new("#{option} can't be #{text[0, 100].inspect}", "it takes #{takes}"))
        end

        private

        def spans(parser, values)
          parser.on("--seconds N", "of each measurement (#{@spans[:seconds]})") do |text|
            values[:seconds] = Queries::OptionValues.seconds("--seconds", text, 1..3600)
          end
          parser.on("--rounds N", "of all settings (#{@spans[:rounds]})") do |text|
            values[:rounds] = Queries::OptionValues.whole("--rounds", text, 1..100)
          end
          parser.on("--warm-up N", "seconds at most before a measurement (#{@spans[:warm_up_s]})") do |text|
            values[:warm_up_s] = Queries::OptionValues.seconds("--warm-up", text, 1..3600)
          end
          parser.on("--slo WHAT", "p95=300ms; a rate beyond it is too much") do |text|
            values[:slo] = slo(text)
          end
        end

        def output(parser, values)
          @kept.declare(parser, values)
          parser.on("--json", "for programs") { lay_out(values, :json) }
          parser.on("--markdown", "for a pull request or an issue") { lay_out(values, :markdown) }
          Options.language(parser, values)
        end

        def lay_out(values, name)
          unless [nil, name].include?(values[:format])
            raise UsageError.new("--json and --markdown can't be combined", "leave out one of them")
          end
          values[:format] = name
        end

        def slo(text)
          return text if Sizing::Slo.parse(text)
          self.class.refuse("--slo", text, "a percentile from p50 on and a time, such as p95=300ms")
        end

        def plan(values, arms, baseline)
          if values[:command].empty?
            raise UsageError.new("lab #{@experiment} needs the command of a server", COMMAND)
          end
          Holdup::Lab::Sweep::SweepPlan.new(
            command: values[:command],
            root: Dir.pwd,
            arms: Holdup::Lab::Sweep::SweepPlan.ordered(arms, baseline),
            **@load.plan(values),
            **@spans,
            **values.slice(*@spans.keys, :slo)
          )
        end
      end
    end
  end
end
