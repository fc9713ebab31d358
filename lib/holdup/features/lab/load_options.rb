# frozen_string_literal: true

module Holdup
  module Lab
    # The options of a load: which requests, how many, and who sends them.
    class LoadOptions
      AMOUNTS = %i[rates ladder connections].freeze
      FASTEST = 100_000
      CONNECTIONS = (1..1000)

      # Rates with commas: ascending, each once.
      RatesType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          rates = Queries::OptionValues.parts(text).map { |part| rate(part) }
          TrialOptions.refuse(option, text, "requests per second above 0") unless rates.all?
          rates.uniq.sort
        end

        private

        def rate(text)
          rate = Float(text, exception: false)
          rate if rate&.positive? && rate <= FASTEST
        end
      end

      tools = Holdup::Lab::LoadTool::ALL.keys
      OPTIONS = [
        Queries::Option.declare("--rate N", RatesType.new, "requests per second", key: :rates),
        Queries::Option.declare("--ladder N,N,N", RatesType.new, "rates to climb until it is too much"),
        Queries::Option.declare("--connections N,N", Queries::OptionTypes::WholeList.new(CONNECTIONS),
          "of wrk or hey; each waits for its answer"),
        Queries::Option.choice("--load-tool NAME", tools, "instead of the built-in: #{tools.join(", ")}",
          key: :tool),
        Queries::Option.declare("--url PATH",
          Queries::OptionTypes::Repeated.new(Queries::OptionTypes::Text.new),
          "a request, such as /orders; also several times", key: :urls),
        Queries::Option.text("--requests FILE", "one a line: 10 GET /products"),
        Queries::Option.text("--recorded [STORE]", "GETs as they came ($HOLDUP_STORE), with their rate"),
        *Queries::SelectionOptions.span("of the recording: 1d (the default) ago, or a date"),
        Queries::Option.whole("--port N", 1..65_535, "where it listens, if not on $PORT or {port}")
      ].freeze

      # @param experiment [String] "sweep"
      def initialize(experiment, console:)
        @experiment = experiment
        @path = console.env["PATH"].to_s
        @recorded = RecordedRequests.new(console)
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
        # No request waits for another below this many a second, with any setting.
        FEWEST = 1.0

        def initialize(console)
          @console = console
          @now_s = console.clock.realtime_s
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
          CLI::Places.reading(@console.env, store.empty? ? nil : store) do |opened|
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

      # What a rate may at most take, as text: the plan keeps it.
      PromiseType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          return text if Advise::Sizing::Slo.parse(text)
          LoadOptions::TrialOptions.refuse(option, text,
            "a percentile from p50 on and a time, such as p95=300ms")
        end
      end

      # @param experiment [String] "sweep"
      # @param own [Array<Queries::Option>] of this experiment only
      # @param usage [String] usage lines of this experiment only
      # @param spans [Hash{Symbol => Numeric}] other defaults than SPANS
      # @return [CLI::Options]
      def self.options(experiment, own, usage:, spans: {})
        default = SPANS.merge(spans)
        CLI::Options.new("holdup lab #{experiment} #{usage} [options] -- COMMAND", [
          *own,
          *LoadOptions::OPTIONS,
          Queries::Option.seconds("--seconds N", 1..3600, "of each measurement (#{default[:seconds]})"),
          Queries::Option.whole("--rounds N", 1..100, "of all settings (#{default[:rounds]})"),
          Queries::Option.seconds("--warm-up N", 1..3600,
            "seconds at most before a measurement (#{default[:warm_up_s]})", key: :warm_up_s),
          Queries::Option.declare("--slo WHAT", PromiseType.new,
            "p95=300ms; a rate beyond it is too much"),
          *Command::SavedResult.options(experiment),
          *CLI::Formats.names(%i[json markdown]),
          CLI::Options::LANGUAGE
        ], rest: :command)
      end

      # @param experiment [String] "sweep"
      # @param spans [Hash{Symbol => Numeric}] other defaults than SPANS
      def initialize(experiment, console:, spans: {})
        @experiment = experiment
        @kept = Command::SavedResult.new(experiment, now_s: console.clock.realtime_s, output: OUTPUT)
        @load = LoadOptions.new(experiment, console:)
        @spans = SPANS.merge(spans)
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
