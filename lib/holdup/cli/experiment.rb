# frozen_string_literal: true

module Holdup
  class CLI
    # Experiments with arms side by side: how long one takes, how far it is, what it found.
    class Experiment
      USAGE = "holdup experiment plan | status | report [options]"
      ACTIONS = %w[plan status report].freeze
      # Facts of settings that separate arms.
      ARMS = %w[arm revision jit].freeze
      FORMATS = %i[text json markdown].freeze
      DAY_S = 86_400
      # Enough for an estimate, in minutes of one length.
      PLAN_SINCE_S = 3 * 3600
      HELP = <<~TEXT

        plan     how long an experiment takes to show 5, 10 or 20 % at this traffic
        status   how far it is, and the answer if there is one (--for says how long)
        report   the answer with the figures of both arms

        Arms are processes that run at the same time: with different HOLDUP_ARM, of
        different revisions, or with and without a JIT.
      TEXT

      def self.options(console)
        now_s = console.clock.realtime_s
        Options.new(USAGE, rest: :words, mixed: true) do |parser, values|
          parser.on("--arms WHAT", "arm (HOLDUP_ARM, the default), revision, jit") do |text|
            values[:arms] = Queries::OptionValues.choice("--arms", text, ARMS)
          end
          parser.on("--values A,B", "control and candidate, as they are called there") do |text|
            values[:values] = text.split(",").map(&:strip)
          end
          parser.on("--for TIME", "how long it is planned: 40m, 2h") do |text|
            values[:planned_s] = Queries::OptionValues.span("--for", text)
          end
          Options.span(parser, values, now_s:, since: "when it began: 1d (the default) ago; of plan 3h")
          Options.origin(parser, values, %i[app host role])
          Options.kind(parser, values)
          parser.on("--name GLOB", "only names like 'Orders*'") { |text| values[:name] = text }
          Formats.declare(parser, values, FORMATS)
          Options.store(parser, values)
          Options.language(parser, values)
          parser.separator(HELP)
          parser.separator("")
        end
      end

      # What of the store is read. `arms`: the fact that separates them; `values`: control and candidate, nil
      # for the two with most requests or jobs; `planned_s`: nil for an experiment that is over
      ArmsQuery = Data.define(:arms, :values, :planned_s, :since, :until, :filter) do
        # @return [Hash{Symbol => Integer}] from_s and to_s
        def span(now_s, length_s)
          to_s = self.until || now_s
          from_s = since || to_s - length_s
          return {from_s:, to_s:} if from_s < to_s
          raise UsageError.new("--since is not before --until", "swap or correct them")
        end
      end

      # @param words [Array<String>] one of ACTIONS
      # @param asked [Hash{Symbol => Object}] members of ArmsQuery, `kind` and `name`
      # @raise [UsageError]
      def initialize(console:, words:, format: :text, origin: Queries::Origin.new, store: nil,
        language: nil, **asked)
        @console = console
        @action, *more = words
        @format = format
        @origin = origin
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
        @asked = query(**asked)
        check(more)
      end

      def run
        view = (@action == "plan") ? plan : experiment
        @console.out.write((@format == :json) ? view.json : rendered(view))
        OK
      end

      private

      def query(arms: ARMS.first, values: nil, planned_s: nil, since: nil, until: nil, kind: :request,
        name: nil)
        filter = Analysis::UnitFilter.new(kind:, name:)
        ArmsQuery.new(arms:, values:, planned_s:, since:, until:, filter:)
      end

      def check(more)
        unless ACTIONS.include?(@action) && more.empty?
          raise UsageError.new("experiment takes one of #{ACTIONS.join(", ")}",
            "`holdup experiment --help` explains them")
        end
        if @asked.values && @asked.values.size != 2
          raise UsageError.new("--values takes two", "control and candidate, such as stable,canary")
        end
        return unless @action == "status" && @asked.planned_s.nil?
        raise UsageError.new("status needs the planned length",
          "give --for 2h; `holdup experiment plan` says how long it takes")
      end

      def kind = @asked.filter.kind

      def plan
        outlook = reading(PLAN_SINCE_S, &:outlook)
        raise nothing unless outlook
        View::Experiment::TimeNeeded.new(outlook, words: @words, kind:, planned_s: @asked.planned_s)
      end

      def experiment
        found = reading(DAY_S) do |arms|
          arms.experiment(arms.pick(@asked.arms, @asked.values), planned_s: @asked.planned_s)
        end
        View::Experiment.new(found, words: @words, kind:, fact: @asked.arms)
      end

      def reading(length_s)
        span = @asked.span(@console.clock.realtime_s, length_s)
        Places.reading(@console.env, @store, origin: @origin) do |store|
          unmatched = Queries::UnmatchedFilter.of(store, *span.values, @asked.filter)
          raise unmatched.error if unmatched
          yield Queries::ExperimentArms.new(store, **span, filter: @asked.filter)
        end
      end

      def nothing
        Error.new("no #{kind}s were recorded in that span", "choose another with --since")
      end

      def rendered(view)
        page = (@action == "status") ? view.page(figures: false) : view.page
        Formats.render(page, format: @format, console: @console, words: @words)
      end
    end
  end
end
