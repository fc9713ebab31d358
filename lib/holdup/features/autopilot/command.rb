# frozen_string_literal: true

require "etc"
require "json"

module Holdup
  module Autopilot
    # What the autopilot of this host does and why, and the switch that stops it. Its collector asks
    # `candidate` and `verdict`.
    class Command
      ACTIONS = %w[status freeze thaw candidate verdict].freeze
      SCHEMA = 1
      # Lines about what processes did.
      SHOWN = 10

      extend CLI::CommandArguments

      USAGE = "holdup autopilot ACTION [options]\n    status, freeze, thaw; candidate, verdict: what its " \
        "collector asks"
      OPTIONS = CLI::Options.new(USAGE, [
        CLI::Options::DIR,
        Queries::Option.text("--host NAME", "status, candidate: of this host"),
        Queries::SelectionOptions[:since, "candidate: start of the recording (2h)"],
        CLI::Options::STORE,
        *CLI::Formats.options(%i[text json]),
        CLI::Options::LANGUAGE
      ], rest: :words, mixed: true)

      # @param words [Array<String>] one of ACTIONS; none: status
      # @param dir [String, nil] folder of the segments
      # @raise [UsageError]
      def initialize(console:, words: [], dir: nil, host: nil, since: nil, store: nil, format: :text,
        language: nil)
        @console = console
        @action, *more = words.empty? ? %w[status] : words
        @folder = CLI::Places.directory(console.env, dir)
        @files = AutopilotFolder.new(@folder)
        @host = host
        @since = since
        @store = store
        @format = format
        @words = View::Words.new(language || CLI::Places.language(console.env))
        return if ACTIONS.include?(@action) && more.empty?
        raise UsageError.new("autopilot takes one of #{ACTIONS.join(", ")}",
          "`holdup autopilot --help` explains them")
      end

      def run
        case @action
        when "status" then status
        when "candidate" then print_json(candidate)
        when "verdict" then print_json(verdict)
        else turn(@action)
        end
        CLI::OK
      end

      private

      def now_s = @console.clock.realtime_s

      def state = @state ||= State.parse(@files.state)

      def word(key, **facts) = @words.call(:"autopilot_#{key}", **facts)

      def print_json(facts) = @console.out.write("#{JSON.pretty_generate(facts)}\n")

      # Where another user made the folder, a link could lead the switch to any file of this one.
      def turn(action)
        Segment::Directory.new(@folder).check_owner
        if action == "freeze"
          @files.freeze_changes([@console.env["USER"], Etc.uname[:nodename]].compact.join("@"))
          return @console.out.puts(word(:frozen_now))
        end
        @console.out.puts(@files.thaw ? word(:thawed) : word(:not_frozen))
      rescue SystemCallError => error
        raise Error.new("the autopilot of #{@folder} can't be switched (#{error.message})",
          "run it as the application's user, with the application's HOLDUP_DIR")
      end

      def status
        return print_json(facts) if @format == :json
        @console.out.puts(sentences.map { |text| View::Width.clean(text) })
        @console.out.puts(permanent) if permanent
      end

      def frozen? = @files.frozen_by_file? || AutopilotFolder.frozen_by?(@console.env)

      def sentences
        done = View::AuditLog.new(audit.to_a, words: @words, limit: SHOWN).sentences
        [(word(:frozen) if frozen?), phase, *taken_back, *(done.empty? ? changes : done)].compact
      end

      def phase = StatusText.new(state, words: @words, now_s:).text

      def clock(second) = Time.at(second).utc.strftime("%H:%M UTC")

      def taken_back
        lately = @files.taken_back.select { |one| one.at_s > now_s - DAY_S }
        lately.map do |one|
          facts = {at: clock(one.at_s), value: one.value, why: reason(one.why)}
          @words.call(StatusText.key(:taken_back, lever_of(one.id)), **facts)
        end
      end

      # @param id [String] of a plan
      def lever_of(id)
        known = [state.plan, state.kept].compact.find { |plan| plan.id == id }
        known ? known.lever : state.history.find { |change| change[:id] == id }&.dig(:lever)
      end

      def reason(why) = View::AuditLog.reason(why, @words)

      def changes
        state.history.map do |change|
          word(:change, at: clock(change[:at_s]), why: reason(change[:why]),
            lever: change[:lever] || "threads", **change.slice(:from, :to, :by))
        end
      end

      # What processes of this host did, and why. Without a store the collector's own notes remain.
      # @return [Array<AuditEntry>, nil] nil: the store can't be read
      def audit
        return @audit if defined?(@audit)
        origin = Queries::Origin.of_host(@host || own_host)
        @audit = CLI::Places.reading(@console.env, @store, origin:) do |store|
          store.audit_entries(now_s - DAY_S, now_s + 1)
        end
      rescue Error
        @audit = nil
      end

      def own_host
        Collector.host_name(Configuration.build(env: Configuration.readable(@console.env)).host, @console.env)
      end

      def permanent
        return unless state.kept
        lever = state.kept.lever
        Experiment::Result::PermanentChange.of(state.kept.values, where: where(lever), lever:)
      end

      # The line that sets it, as a living process knows it.
      def where(lever)
        entries = Segment::Directory.new(@folder).running
        entries.filter_map { |entry| entry.read(&:profile)&.[]("lever.#{lever}.where") }.first
      rescue SegmentError, DamagedData, SystemCallError
        nil
      end

      def facts
        plan = state.plan || state.kept
        {schema: SCHEMA, phase: state.phase, frozen: frozen?, reason: state.waits, text: phase,
         **levers(plan), permanent:,
         changes: state.history.map { |change| {**change, at: iso(change[:at_s])}.except(:at_s) },
         audit: audit && View::AuditLog.new(audit, words: @words).to_a,
         taken_back: @files.taken_back.map { |one| taken_back_facts(one) }}
      end

      # @return [Hash{Symbol => Hash, nil}]
      def levers(plan)
        ConfigurationKeys::AutopilotGoal::LEVERS.to_h do |name|
          [name.to_sym, ({from: plan.values.first, to: plan.values.last} if plan&.lever == name)]
        end
      end

      def taken_back_facts(one)
        lever = lever_of(one.id) || "threads"
        values = ConfigurationKeys::AutopilotGoal::LEVERS.to_h do |name|
          [name.to_sym, (one.value if name == lever)]
        end
        {**values, at: iso(one.at_s), why: one.why}
      end

      def iso(second) = Time.at(second).utc.strftime("%FT%TZ")

      def goal
        Configuration.build(env: Configuration.readable(@console.env)).autopilot_goal ||
          raise(UsageError.new("candidate needs the goal", "set HOLDUP_AUTOPILOT=\"p95=300ms threads=1..8\""))
      end

      def reading(&)
        origin = @host ? Queries::Origin.of_host(@host) : Queries::Origin.new
        CLI::Places.reading(@console.env, @store, origin:, &)
      end

      def candidate
        wanted = goal
        from_s = @since || now_s - Advise::SizingOptions::SINCE_S
        reading { |store| AutopilotCandidate.new(store, goal: wanted, from_s:, now_s:).call }
      end

      def verdict
        plan = @files.plan_file.read
        return {id: nil, key: nil, why: nil} unless plan&.autopilot? && plan.turns
        span = {from_s: plan.turns.from_s, to_s: now_s}
        found = reading do |store|
          filter = Analysis::UnitFilter.new(kind: :request)
          Experiment::Reader.new(store, **span, filter:).in_turns(plan)
        end
        {id: plan.id, key: found.answer.key, why: Experiment::RecordedVerdict.of(found)&.to_s}
      end
    end

    class Command
      # The threads or processes that the autopilot should try next: of the settings that differ from the
      # present one in nothing else, the best that no limit of the host or the database forbids. And what
      # speaks against it.
      class AutopilotCandidate
        LATELY_S = 600
        FRESH_S = 300
        # Turns of an experiment after its A/A phase: an hour to six with the usual turns of three minutes.
        # Fewer would not show the swings of one arm alone.
        FEWEST_TURNS = 20
        MOST_TURNS = 120
        # Share of the expected gain that the experiment is long enough to show, and the least difference.
        PART = 0.5
        # Of a replay, about.
        UNITS = 4_000
        EFFECT = 0.1

        # @param store [Store::Sql] of the host
        # @param goal [ConfigurationKeys::AutopilotGoal]
        # @param from_s [Integer] start of the recording; since then the setting is the same in the end
        def initialize(store, goal:, from_s:, now_s:)
          @store = store
          @goal = goal
          @span = {from_s: [first_minute(from_s), now_s].min, to_s: now_s}
          @now_s = now_s
        end

        # @return [Hash{Symbol => Object}] threads or processes, why, reason (of no answer), grade, fresh,
        #   load, planned_s
        def call
          grade = found.self_test.grade if known?
          value = best && value_of(best.candidate)
          {lever => value, :why => why, :reason => reason, :grade => grade, :fresh => fresh,
           :load => load&.round(3), :planned_s => planned_s}
        end

        private

        def lever = @goal.lever.to_sym

        def value_of(candidate) = (lever == :threads) ? candidate.caps.first : candidate.processes

        # Stored sums are of whole minutes, and workers follow a change within one: sums of the minutes before
        # have the setting of before too, and two settings are no recording.
        def first_minute(changed_s) = (changed_s + MINUTE_S).ceildiv(MINUTE_S) * MINUTE_S

        def found
          return @found if defined?(@found)
          slo = Advise::Sizing::Slo.parse(@goal.slo)
          objective = Advise::Sizing::Objective.new(slo:)
          @found = Advise::Reader.new(@store, **@span, kind: :request, objective:).recommendation
        end

        def known? = !found.nil? && found.reasons.empty?

        # @return [String, nil]
        def reason
          return "no_recording" unless found
          found.reasons.join(", ") unless known?
        end

        # @return [Holdup::Advise::Sizing::Prediction, nil] nil: the present threads are the best
        def best
          return unless known?
          return @best if defined?(@best)
          found_best = found.objective.best(allowed, found.current)
          @gain = found_best ? found.objective.gain(found.current, found_best) : 0.0
          @best = (@gain > Advise::Sizing::Recommendation::HYSTERESIS) ? found_best : nil
        end

        # The present threads may break a limit too: a host without enough CPUs has too few for any number.
        # So only candidates that break one further are left out.
        def allowed
          within_range.reject { |prediction| further?(prediction) }
            .map { |prediction| prediction.replayed? ? prediction : replayed(prediction) }
            .select(&:replayed?)
        end

        def further?(prediction)
          now = found.current.guards.to_h { |guard| [guard.name, guard.value.fdiv(guard.limit)] }
          prediction.guards.any? { |guard| guard.value.fdiv(guard.limit) > now.fetch(guard.name, 0) }
        end

        def within_range
          allowed = @goal.range(@goal.lever)
          found.predictions.select do |prediction|
            candidate = prediction.candidate
            (candidate.differences(found.now) - [lever]).empty? && allowed.cover?(value_of(candidate))
          end
        end

        def replayed(prediction)
          found.of_part(found.traffic, prediction.candidate, {seed: 1, rate: found.rate, units: UNITS})
        end

        def why
          return unless best
          ChangeReason.of(:replay, share: (100 * @gain).round, percentile: found.objective.slo.name).to_s
        end

        def requests(from_s)
          @store.windows(from_s, @now_s + 1, seconds: MINUTE_S, kinds: [:request], histograms: []).to_a
        end

        def lately = @lately ||= requests(@now_s - LATELY_S)

        def fresh = lately.any? { |window| window.count.positive? && window.end_s >= @now_s - FRESH_S }

        # @return [Float, nil] requests of the last minutes against those of a day
        def load
          day = {from_s: @now_s - DAY_S, to_s: @now_s}
          count = @store.sums(*day.values, kinds: [:request], histograms: []).sum { |row| row.window.count }
          usual = Queries::MeasuredTimeQuery.call(@store, **day, kinds: [:request]).rate(count)
          now = Queries::MeasuredTimeQuery.lately(@store, to_s: @now_s, length_s: LATELY_S,
            since_s: @now_s - DAY_S, kinds: [:request])
          return if now.empty? || usual.nil? || usual.zero?
          counted = lately.select { |window| window.end_s > now.from_s }
          now.rate(counted.sum(&:count)).to_f / usual
        end

        def planned_s
          filter = Analysis::UnitFilter.new(kind: :request)
          figure = Experiment::Reader.new(@store, **@span, filter:).outlook&.effects&.first
          shortest_s = FEWEST_TURNS * @goal.turn
          (figure&.seconds(effect) || 2 * shortest_s).clamp(shortest_s, MOST_TURNS * @goal.turn)
        end

        # Half of what the replay expects: it may be wrong.
        def effect
          best ? [EFFECT, PART * @gain].max : EFFECT
        end
      end
    end
  end
end
