# frozen_string_literal: true

require "etc"
require "json"
require "rbconfig"

module Holdup
  module Autopilot
    # Sets the threads or the processes of the running Pumas of this host within `config.autopilot`: tries
    # what the sizing advises in an experiment, keeps it where it is better, and else takes it back. Only the
    # collector that leads acts. Servers need it to renew the lease of what it sets, and for nothing else:
    # when it is gone, they return to what is configured.
    class CollectorPart
      RECORDING_S = 2 * 3600
      LEVERS = ConfigurationKeys::AutopilotGoal::LEVERS

      # @param store [String] its URL
      # @param options [Hash{Symbol => Object}] of `new`
      # @return [CollectorPart]
      def self.of(store:, host:, dir:, log:, clock:, **options)
        inquiry = self::Inquiry.new(store:, dir:, host:, log:, clock:)
        new(dir:, inquiry:, log:, clock:, **options)
      end

      # @param inquiry [#ask, #poll, #close] see Inquiry
      # @param interval [Numeric] seconds between two rounds: a lease is for three at least
      # @param decision [#call] see Decision
      def initialize(dir:, inquiry:, log:, clock:, env: {}, interval: 10, decision: Decision.new,
        directory: Segment::Directory.new(dir))
        @directory = directory
        @files = AutopilotFolder.new(dir)
        @inquiry = inquiry
        @log = log
        @clock = clock
        @env = env
        @decision = decision
        @interval = interval
      end

      # After a round that has stored everything: nothing is tried, or kept, while nothing is recorded.
      def call
        @state ||= State.parse(@files.state)
        living = processes
        goal = goal_of(living)
        seen = able(living, goal)
        return rest(seen) if goal.nil? && @state.phase == :waiting
        step = @decision.call(@state, situation(seen, goal, living))
        follow(step, seen)
        @inquiry.ask(step.question, goal:, since_s:) if step.question
      end

      # The next leader has the state; what workers have ends with its lease.
      def close = @inquiry.close

      # Another collector may lead in the meantime.
      def forget = @state = nil

      private

      # What one process says. `goal`: text, nil: none; `configured`: {lever => value} of what it can change;
      # `fixed`: the key of the reason why it can change nothing; `where`: {lever => place of its line}
      PilotedProcess = Data.define(:goal, :configured, :fixed, :revision, :age_s, :where) do
        # A job runner of the same host may have no autopilot.
        def concerned? = !goal.nil? || configured.any?
      end
      private_constant :PilotedProcess

      def processes
        @directory.running(@clock.realtime_ns).filter_map { |entry| piloted(entry) }.select(&:concerned?)
      end

      def piloted(entry)
        entry.read do |reader|
          profile = reader.profile || {}
          next if reader.header.closed?
          PilotedProcess.new(goal: profile["autopilot"], configured: configured(profile),
            fixed: profile["live.none"], revision: reader.setting&.[]("revision"),
            age_s: age_s(reader.header), where: where(profile))
        end
      rescue SegmentError, DamagedData, SystemCallError
        nil
      end

      def configured(profile)
        values = LEVERS.to_h { |name| [name, profile["live.#{name}.configured"]] }
        values.compact.transform_values(&:to_i)
      end

      def where(profile) = LEVERS.to_h { |name| [name, profile["lever.#{name}.where"]] }

      def age_s(header) = [@clock.realtime_s - header.created_ns / NS, 0].max

      # Of the recording, in which the setting should be one.
      def since_s = [@state.changed_s, @clock.realtime_s - RECORDING_S].max

      # All that can change something have to ask for the same. One lever is moved at a time: the first that
      # they can change.
      def goal_of(living)
        some = living.select { |process| process.configured.any? }
        texts = (some.empty? ? living : some).map(&:goal).uniq
        goal = ConfigurationKeys::AutopilotGoal.parse(texts.first) if texts.one?
        return unless goal
        lever = goal.levers.find { |name| living.any? { |process| process.configured.key?(name) } }
        goal.only(lever || goal.lever).with(lease: [goal.lease, (3 * @interval).ceil].max)
      end

      def able(living, goal)
        living.select { |process| goal ? process.configured.key?(goal.lever) : process.configured.any? }
      end

      # Nothing was ever asked for here, or it no longer is.
      def rest(seen)
        return if @state == State.new || seen.empty?
        save(State.new)
      end

      def situation(seen, goal, living)
        AutopilotSituation.new(
          now_s: @clock.realtime_s,
          goal:,
          by: "collector #{Process.pid}@#{Etc.uname[:nodename]}",
          processes: seen.size,
          configured: seen.map { |process| process.configured[goal&.lever || LEVERS.first] }.uniq,
          fixed: living.filter_map(&:fixed).first,
          revisions: seen.map(&:revision).uniq,
          youngest_s: seen.map(&:age_s).min.to_i,
          frozen_by: @files.frozen_by(@env),
          other: other_experiment?,
          taken_back: @files.taken_back,
          answer: @inquiry.poll
        )
      end

      def other_experiment?
        plan = @files.plan_file.read
        !plan.nil? && !plan.autopilot? && @clock.realtime_s < plan.turns.ends_s
      rescue DamagedData
        false
      end

      # The state first: a collector that dies in between leaves what its workers may have, not the reverse.
      def follow(step, seen)
        save(step.state)
        put(@files.plan_file, @state.plan)
        put(@files.kept_file, @state.kept) unless step.state.waits == :frozen
        step.lines.each { |line| @log.info(line) }
        @log.info(permanent(seen)) if step.lines.any? && @state.kept && @state.plan.nil?
      end

      def save(state)
        @files.write_state(state.to_json) unless state == @state
        @state = state
      end

      # Never another's plan.
      def put(file, plan)
        return file.write(plan) if plan
        ending = file.read
        return unless ending&.autopilot?
        say_why(ending.id) unless [@state.plan, @state.kept].compact.map(&:id).include?(ending.id)
        file.remove
      rescue DamagedData
        file.remove
      end

      # To the workers, whose log and audit log have it.
      def say_why(id)
        change = @state.history.reverse.find { |one| one[:id] == id } or return
        @files.end_plan(id, **change.slice(:at_s, :by, :why))
      end

      def permanent(seen)
        lever = @state.kept.lever
        where = seen.filter_map { |process| process.where[lever] }.first
        diff = Experiment::Result::PermanentChange.of(@state.kept.values, where:, lever:)
        "autopilot #{@state.kept.id}: to make it permanent:\n#{diff}"
      end
    end

    class CollectorPart
      # What a decision rests on.
      #
      # - `now_s`; `goal`: AutopilotGoal that the processes ask for, for one lever, nil: none
      # - `by`: who decides
      # - `processes`: how many can change it; `configured`: its different values there; `fixed`: the key of
      #   the reason why others can't
      # - `revisions`: their different ones; `youngest_s`: age of the youngest
      # - `frozen_by`: who has switched it off, nil: it is on; `other`: whether a user's experiment runs
      # - `taken_back`: Array of AutopilotFolder::TakenBack; `answer`: Hash of an inquiry, nil: none came
      AutopilotSituation = Data.define(
        :now_s, :goal, :by, :processes, :configured, :fixed, :revisions, :youngest_s, :frozen_by, :other,
        :taken_back, :answer
      ) do
        def initialize(now_s:, goal:, by:, processes:, configured:, fixed: nil, revisions: [nil],
          youngest_s: 86_400, frozen_by: nil, other: false, taken_back: [], answer: nil)
          super
        end
      end
    end

    class CollectorPart
      # Asks `holdup autopilot candidate` and `verdict` in a process of its own: reading hours of the store
      # and replaying them takes memory and seconds that the collector should not have. It never waits.
      class Inquiry
        EXE = File.expand_path("../../../../exe/holdup", __dir__)
        MOST_BYTES = 100_000

        # @param store [String] URL, which may have a password: the child gets it in its environment
        def initialize(store:, dir:, host:, log:, clock:, command: [RbConfig.ruby, EXE, "autopilot"])
          @environment = {"HOLDUP_STORE" => store, "HOLDUP_DIR" => dir}
          @host = host
          @child = Collector::ChildCommand.new(command, cpu_s: Collector::ChildCommand::CPU_S,
            most_bytes: MOST_BYTES)
          @log = log
          @clock = clock
        end

        # Asks, unless a question is open.
        # @param question [Symbol] :candidate or :verdict
        # @param goal [ConfigurationKeys::AutopilotGoal]
        # @param since_s [Integer] when the setting last changed for good
        def ask(question, goal:, since_s:)
          return if @child.running?
          @asked_ns = @clock.monotonic_ns
          since = Time.at(since_s).utc.strftime("%FT%TZ")
          @child.start(question.to_s, "--host", @host, "--since", since, "--json",
            environment: {**@environment, "HOLDUP_AUTOPILOT" => goal.to_s})
        rescue SystemCallError, ChildLaunch::Gone => error
          warn_once("it could not be started (#{error.message})")
        end

        # @return [Hash{String => Object}, nil] once for each answer
        def poll
          return unless @child.running?
          answer = @child.poll
          return parsed(answer) if answer
          return unless @clock.monotonic_ns - @asked_ns > Collector::ChildCommand::LONGEST_S * NS
          close
          warn_once("it took longer than #{Collector::ChildCommand::LONGEST_S} s")
        end

        def close = @child.close

        private

        def parsed(answer)
          found = JSON.parse(answer.text)
          @warned = nil
          found if found.is_a?(Hash)
        rescue JSON::ParserError
          warn_once("it gave no answer #{answer.why}")
        end

        # @return [nil]
        def warn_once(reason)
          @log.warn("the autopilot does not know what to try: #{reason}") unless reason == @warned
          @warned = reason
          nil
        end
      end
    end
  end
end
