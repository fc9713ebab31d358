# frozen_string_literal: true

module Holdup
  module Experiment
    # Experiments: how long one takes, how far it is, what it found. Arms run side by side, or take turns in
    # the running processes of this host; these are started and stopped here too.
    class Command
      USAGE = "holdup experiment plan | start | status | report | stop [options]"
      ACTIONS = %w[plan start status report stop].freeze
      DEFAULT = "status"
      # Facts of settings that separate arms.
      ARMS = %w[arm revision jit].freeze
      FORMATS = %i[text json markdown].freeze
      # Enough for an estimate, in minutes of one length.
      PLAN_SINCE_S = 3 * 3600
      TURN_S = 180
      HELP = <<~TEXT

        plan     how long an experiment takes to show 5, 10 or 20 % at this traffic
        start    two numbers of threads take turns in the running Pumas of this host
        status   how far it is, and the answer if there is one (--for says how long)
        report   the answer with the figures of both arms
        stop     ends what start began; the configured threads return at once

        Arms take turns (start), or are processes that run at the same time: with
        different HOLDUP_ARM, of different revisions, or with and without a JIT.
      TEXT

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new(USAGE, [
        Queries::Option.choice("--arms WHAT", ARMS, "arm (HOLDUP_ARM, the default), revision, jit"),
        Queries::Option.declare("--values A,B", Queries::OptionTypes::Texts.new,
          "control and candidate, as they are called there"),
        Queries::Option.declare("--for TIME", Queries::OptionTypes::Length.new,
          "how long it is planned: 40m, 2h", key: :planned_s),
        Queries::Option.declare("--threads N[,M]", Queries::OptionTypes::WholeSequence.new(1..1000),
          "start: of the candidate; or of both, control first"),
        Queries::Option.declare("--turn TIME", Queries::OptionTypes::Length.new,
          "start: how long an arm has its turn (3m)", key: :turn_s),
        Queries::Option.text("--why TEXT", "start: what for"),
        CLI::Options::DIR,
        *Queries::SelectionOptions.span("when it began: 1d (the default) ago; of plan 3h"),
        *Queries::SelectionOptions.origin(%i[app host role]),
        Queries::SelectionOptions[:kind],
        Queries::SelectionOptions[:name],
        *CLI::Formats.options(FORMATS),
        CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ], rest: :words, mixed: true, text: HELP)

      # Hosts are in UTC, their users are not.
      def self.clock(second)
        Time.at(second).utc.strftime("%H:%M UTC")
      end

      # What of the store is read. `arms`: the fact that separates them; `values`: control and candidate, nil
      # for the two with most requests or jobs; `planned_s`: nil for an experiment that is over
      ArmsQuery = Data.define(:arms, :values, :planned_s, :since, :until, :filter) do
        # @return [Hash{Symbol => Integer}] from_s and to_s
        def span(now_s, length_s)
          to_s = self.until || now_s
          from_s, to_s = Queries::SelectionOptions.ordered(since || to_s - length_s, to_s)
          {from_s:, to_s:}
        end
      end

      # @param words [Array<String>] one of ACTIONS; none: DEFAULT
      # @param asked [Hash{Symbol => Object}] members of ArmsQuery, `kind` and `name`
      # @param threads [Array<Integer>, nil] of start, with `turn_s` and `why`, see TurnsCommand#start
      # @param dir [String, nil] folder of the segments
      # @raise [UsageError]
      def initialize(console:, words:, format: :text, origin: Queries::Origin.new, store: nil,
        language: nil, dir: nil, threads: nil, turn_s: TURN_S, why: "", **asked)
        @console = console
        @action, *more = words.empty? ? [DEFAULT] : words
        @format = format
        @origin = origin
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
        @asked = query(**asked)
        @turns = TurnsCommand.new(console, dir:)
        @change = {threads:, turn_s:, why:}
        check(more)
      end

      def run
        case @action
        when "start" then start
        when "stop" then stop
        else show((@action == "plan") ? plan : experiment)
        end
        CLI::OK
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
        check_length
      end

      def check_length
        return if @asked.planned_s || !%w[start status].include?(@action)
        return if @action == "status" && in_turns
        if @action == "status"
          raise UsageError.new("no arms take turns on this host",
            "`holdup experiment plan` says how long that takes; for arms side by side give --for 2h")
        end
        raise UsageError.new("start needs the planned length",
          "give --for 2h; `holdup experiment plan` says how long it takes")
      end

      # @return [ExperimentPlan, nil] of the arms that take turns, unless other arms are asked for
      def in_turns
        @turns.last if @asked.arms == Setting::LABEL && @asked.values.nil? && @asked.planned_s.nil?
      end

      def start
        unless @change[:threads]
          raise UsageError.new("start needs what to try", "give the candidate's threads: --threads 3")
        end
        plan, processes = @turns.start(**@change, length_s: @asked.planned_s)
        control, candidate = plan.values
        turn = Queries::OptionValues.length(plan.turns.turn_s)
        say(:started, id: plan.id, control:, candidate:, processes:, turn:,
          changes: Command.clock(plan.turns.changes_s), ends: Command.clock(plan.turns.ends_s))
      end

      def stop
        plan = @turns.stop
        plan ? say(:stopped, id: plan.id) : say(:nothing_runs)
      end

      def say(key, **facts)
        @console.out.puts(@words.call(:"experiment_#{key}", **facts))
      end

      def show(view)
        @console.show((@format == :json) ? view.json : rendered(view))
      end

      def kind = @asked.filter.kind

      def plan
        outlook = reading(PLAN_SINCE_S) { |arms, _store| arms.outlook }
        raise nothing unless outlook
        Report::TimeNeeded.new(outlook, words: @words, kind:, planned_s: @asked.planned_s)
      end

      def experiment
        turns = in_turns
        changes = nil
        found = reading(turns ? @console.clock.realtime_s - turns.turns.from_s : DAY_S) do |arms, store|
          if turns
            changes = store.audit_entries(turns.turns.from_s, @console.clock.realtime_s + 1)
            changes = changes.select { |change| change.plan_id == turns.id }
            arms.in_turns(turns)
          else
            arms.experiment(arms.pick(@asked.arms, @asked.values), planned_s: @asked.planned_s)
          end
        end
        Report.new(found, words: @words, kind:, fact: @asked.arms, changes:)
      end

      def reading(length_s)
        span = @asked.span(@console.clock.realtime_s, length_s)
        CLI::Places.reading(@console.env, @store, origin: @origin) do |store|
          unmatched = Queries::UnmatchedFilter.of(store, *span.values, @asked.filter)
          raise unmatched.error if unmatched
          yield Reader.new(store, **span, filter: @asked.filter), store
        end
      end

      def nothing
        Error.new("no #{kind}s were recorded in that span", "choose another with --since")
      end

      def rendered(view)
        page = (@action == "status") ? view.page(figures: false) : view.page
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end
    end
  end
end
