# frozen_string_literal: true

require "etc"

module Holdup
  class CLI
    # How many threads, processes and job slots: keep, change, or can't say, with the evidence.
    class Advise
      def self.options(console)
        Arguments.new(console.clock.realtime_s)
      end

      # @param queue [String, nil] of jobs: sizes the processes that serve it
      # @param objective [Symbol, nil] nil: latency for requests, throughput for jobs
      # @param memory [Integer, nil] bytes of a host
      # @param format [Symbol] :text, :json, :markdown, :html
      # @param verify [String, nil] file of an earlier advice, which is then compared with later measurements
      # @param out [String, nil] file that it is written to
      # @param save [String, nil] file for `--verify`, in addition to the output
      # @param full [Boolean] whether a text has all tables, not only one screen
      # @param wide [Boolean] whether a text cuts no name
      # @param prices [Sizing::CheapestFleet::FleetPrices, nil] nil: fleets are not compared
      # @param given [Hash{String => String}] options that choose the advice, as they were given
      # @raise [UsageError] the objective is throughput of requests: users decide how many arrive
      def initialize(console:, from_s:, to_s:, kind: :request, queue: nil, slo: Sizing::Slo.new,
        objective: nil, factor: 1.0, vcpus: nil, memory: nil, connections: nil, format: :text,
        limit: Arguments::ROWS, warm_up_s: Analysis::ProcessBoots::WARM_UP_S, verify: nil,
        origin: Queries::Origin.new, out: nil, save: nil, store: nil, language: nil,
        within_s: Sizing::JobDeadlines::WITHIN_S, prices: nil, full: false, wide: false, given: {})
        if objective == :throughput && kind == :request
          raise UsageError.new("--objective throughput is for jobs",
            "add --kind job; requests arrive by themselves")
        end
        @console = console
        @span = {from_s:, to_s:}
        objective ||= (kind == :job) ? :throughput : :latency
        @sizing = {
          kind:,
          factor:,
          objective: Sizing::Objective.new(objective, slo:),
          given: {vcpus:, memory_limit_bytes: memory, connections:},
          warm_up_s:
        }
        @queue = queue
        @verify = verify
        @format = format
        @destination = Formats::Destination.new(console, file: out, format:)
        @save = Formats::Destination.new(console, file: save, option: "--save") if save
        @limit = limit
        @within_s = within_s
        @prices = prices || prices_of(console.env)
        @full = full
        @wide = wide
        @given = given
        @origin = origin
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      def run
        return verification.run if @verify
        sized, pool = Places.reading(@console.env, @store, origin: @origin) do |store|
          read(Queries::RequestCache.new(store))
        end
        write(sized, Advice.call(situation(sized, pool)))
        OK
      end

      private

      # @return [Array(Queries::SizingInputs, Object)] and the pool of the queue
      def read(store)
        owner = @queue && Queries::SizingInputs::QueueOwner.new(store, **@span, queue: @queue)
        pool = owner&.pool
        inputs = Queries::SizingInputs.new(store, **@span, **@sizing, setting: owner&.setting, pool:,
          cpus: Etc.nprocessors)
        [inputs, pool]
      end

      def situation(sized, pool)
        lines = SourceLines.new
        Advice::Situation.new(
          summary: sized.summary,
          recommendation: sized.recommendation,
          levers: Advice::ServerLevers.new(sized.lately, lines:),
          pool:,
          files: lines.method(:all)
        )
      end

      # One read serves both outputs, because a collector may write to the store between two reads.
      def write(sized, findings)
        @save&.write(json(sized, findings))
        @destination.write((@format == :json) ? json(sized, findings) : rendered(sized, findings))
      end

      def verification
        Verify.new(console: @console, file: @verify, **@span, format: @format, store: @store,
          words: @words)
      end

      def rendered(sized, findings)
        options = {words: @words, span:, kind: @sizing[:kind], limit: @limit, again:, within_s: @within_s,
                   fleet: fleet(sized)}
        if @format == :text && !@full
          screen = View::Advice::AdviceScreen.new(sized, findings, given: @given, **options)
          return Formats.screen(screen, console: @console, wide: @wide)
        end
        advice = View::Advice.new(sized, findings, **options)
        Formats.render(advice.page, format: @format, console: @console, words: @words, wide: @wide)
      end

      def json(sized, findings)
        View::JsonAdvice.new(sized.recommendation, findings, within_s: @within_s, fleet: fleet(sized),
          **@span, **@sizing.slice(:kind, :warm_up_s), **@origin.limits).call
      end

      def prices_of(env)
        prices = Configuration.build(env:).prices
        prices && Sizing::CheapestFleet::FleetPrices.of(prices)
      end

      # One for all outputs, because its replays take seconds.
      def fleet(sized)
        @fleet ||= @prices && Sizing::CheapestFleet.new(sized.recommendation, prices: @prices)
      end

      def span = Options::SizingOptions.span_text(**@span)

      def again
        Options::SizingOptions.again(**@span, origin: @origin, store: @store)
      end

      # The arguments of `holdup advise`: which recording, within which limits, and what counts as better.
      class Arguments
        ROWS = 14
        FORMATS = %i[text json markdown html].freeze
        OBJECTIVES = %i[latency cost balanced throughput].freeze
        # Options that other commands need to look at the same data, and those of the question.
        GIVEN = %w[--since --until --store --app --host --role --revision --kind --queue --slo --objective
          --load --vcpus --memory --db-connections --within --warm-up --prices].freeze
        # Options of an advice that its verification does not take.
        ASKED = %i[slo kind origin queue objective factor vcpus memory connections limit out save
          within_s prices].freeze

        def initialize(now_s)
          @now_s = now_s
        end

        # @return [Hash{Symbol => Object}] the keywords of Advise
        # @raise [UsageError] an option can't be read or contradicts another
        def parse(argv)
          options = Options.new("holdup advise [options]") { |parser, read| declare(parser, read) }
          values = options.parse(argv)
          return values if values.key?(:help)
          check(values)
          kind = values.key?(:queue) ? {kind: :job} : {}
          # Rows are of a table that the screen does not have.
          full = values.key?(:full) || values.key?(:limit)
          {**values.except(:since, :until), **span(values), **kind, full:, given: Options.given(argv, GIVEN)}
        end

        private

        def span(values)
          return {from_s: values[:since], to_s: values.fetch(:until, @now_s)} if values.key?(:verify)
          Options::SizingOptions.span_of(values, @now_s)
        end

        # The advice's file already holds these options.
        def check(values)
          given = values.keys & ASKED
          given << :html if values[:format] == :html
          if values.key?(:verify) && given.any?
            options = given.map { |key| "--#{key.to_s.delete_suffix("_s").tr("_", "-")}" }
            raise UsageError.new("--verify can't be combined with #{options.join(", ")}",
              "leave them out: the saved advice has them")
          end
          if values.key?(:queue) && values[:kind] == :request
            raise UsageError.new("--queue is for jobs", "leave out --kind request")
          end
          if values.key?(:within_s) && values[:kind] != :job && !values.key?(:queue)
            raise UsageError.new("--within is for jobs", "add --kind job")
          end
        end

        def declare(parser, values)
          Options::SizingOptions.declare(parser, values, @now_s)
          parser.on("--queue NAME", "of jobs: size what serves that queue") { |text| values[:queue] = text }
          parser.on("--objective WHAT", "latency, cost, balanced; jobs: throughput") do |text|
            values[:objective] = Queries::OptionValues.choice("--objective", text, OBJECTIVES)
          end
          parser.on("--within TIME", "of jobs: in which they are to begin (300s)") do |text|
            values[:within_s] = [Queries::OptionValues.duration("--within", text) / 1_000_000_000, 1].max
          end
          parser.on("--prices WHAT", "vcpu=0.04,gb=0.005: an hour of each; compares fleets") do |text|
            values[:prices] = Options::SizingOptions.prices(text)
          end
          parser.on("--load FACTOR", "x1.3: for so much of the recorded load") do |text|
            values[:factor] = Queries::OptionValues.factor("--load", text)
          end
          parser.on("--memory SIZE", "limit of a host: 512M, 2G") do |text|
            values[:memory] = Options::SizingOptions.bytes("--memory", text)
          end
          parser.on("--db-connections N", "that the database server has for this app") do |text|
            values[:connections] = Queries::OptionValues.whole("--db-connections", text, 1..1_000_000)
          end
          declare_output(parser, values)
        end

        def declare_output(parser, values)
          Formats.declare_screen(parser, values)
          parser.on("--limit N", "with all tables: rows of settings (#{ROWS})") do |text|
            values[:limit] = Queries::OptionValues.whole("--limit", text, 4..10_000)
          end
          Formats.declare(parser, values, FORMATS)
          parser.on("--out FILE", "write it there") { |text| values[:out] = text }
          parser.on("--save FILE", "also save it there for --verify") { |text| values[:save] = text }
          parser.on("--verify FILE", "what --save kept: has it come true since?") do |text|
            values[:verify] = text
          end
        end
      end

      # Shows the line of a configuration file that sets something, such as "config/puma.rb:12". The place
      # comes from a store, which is not trusted, so it reads only files below the working directory and
      # returns one short line.
      class SourceLines
        PLACE = /\A([^:]+):(\d{1,6})\z/
        LONGEST = 200
        MOST = 2000

        def initialize(root: Dir.pwd)
          @root = File.realpath(root)
        end

        # @param place [String] "config/puma.rb:12"
        def call(place)
          match = PLACE.match(place)
          file = match && inside(match[1])
          return unless file
          line = File.foreach(file, encoding: "UTF-8").lazy.drop(match[2].to_i - 1).first
          line.scrub.chomp if line && line.size <= LONGEST
        rescue SystemCallError, ArgumentError # line 0
          nil
        end

        # @param path [String] below the folder
        # @return [Array<String>] its lines; empty if the file can't be read
        def all(path)
          file = inside(path)
          return [] unless file
          File.foreach(file, encoding: "UTF-8").first(MOST).map { |line| line.scrub.chomp }
        rescue SystemCallError
          []
        end

        private

        def inside(path)
          file = File.realpath(path, @root)
          file if file.start_with?("#{@root}/") && File.file?(file)
        end
      end
    end
  end
end
