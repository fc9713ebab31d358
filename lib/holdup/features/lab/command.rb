# frozen_string_literal: true

module Holdup
  module Lab
    # Experiments with real processes on this machine, by name: `holdup lab sidekiq-vcpu`.
    class Command
      # Each experiment has a folder, whose constant is called like it.
      SUMMARIES = {
        "sweep" => "your server with one setting after the other",
        "jobs" => "Sidekiq at each concurrency, measured and predicted",
        "check" => "a gate for CI: did an endpoint get worse?",
        "jit" => "your server with YJIT off, on at boot, on after boot",
        "sidekiq-vcpu" => "why CPU % halves when the vCPUs double"
      }.freeze
      class << self
        # Takes the experiment's name and passes the rest to the experiment's own options. Without a name it
        # lists the experiments.
        # @return [Hash{Symbol => Object}] keywords of `new`, or {help: text}
        # @raise [UsageError]
        def parse(argv, console)
          language = (argv.first == CLI::Options::LANGUAGE.flag) ? argv.first(2) : []
          name, *rest = argv.drop(language.size)
          return overview([*language, "--help"], console) unless name
          return overview(argv, console) if name.start_with?("-")
          unless SUMMARIES.key?(name)
            raise UsageError.new("lab has no experiment #{name[0, 100].inspect}", hint(name))
          end
          command = experiment(name)
          values = command.parse([*language, *rest], console)
          values.key?(:help) ? values : {experiment: command, values:}
        end

        # @return [Array<String>] the experiments
        def words = SUMMARIES.keys

        # Each experiment has its own.
        def options = []

        private

        # @return [Class] the command of Lab::SidekiqVcpu for "sidekiq-vcpu"
        def experiment(name) = Lab.const_get(name.split("-").map(&:capitalize).join)::Command

        def overview(argv, console)
          given = CLI::Options.new("holdup lab EXPERIMENT [options]").parse(argv,
            now_s: console.clock.realtime_s)
          raise UsageError.new("lab needs the name of an experiment", hint) unless given.help
          texts = CLI::HelpTexts.of(given.language || CLI::Places.language(console.env))
          experiments = SUMMARIES.map do |name, summary|
            "    holdup lab #{name.ljust(12)} #{texts.summary("lab #{name}", summary)}"
          end
          {help: [given.options.help(texts), *experiments].join("\n"), texts:}
        end

        # @param name [String, nil] as it was typed
        # @return [String] what to do
        def hint(name = nil)
          nearest = Queries::OptionValues::NearestName.hint(name, SUMMARIES.keys) if name
          nearest || "it is one of #{SUMMARIES.keys.join(", ")}"
        end
      end

      # @param experiment [Class] the command of one experiment
      # @param values [Hash{Symbol => Object}] its keywords
      def initialize(console:, experiment:, values:)
        @command = experiment.new(console:, **values)
      end

      def run = @command.run

      # Shows an experiment's progress and the time left: one changing line on a terminal, elsewhere a line
      # for each new activity.
      class ProgressLine
        # @param step_s [Numeric] estimate of a step's time before the first step ends
        def initialize(console, words:, step_s:)
          @console = console
          @words = words
          @step_s = step_s
          @started_s = @console.clock.realtime_s
        end

        # @param number [Integer] of the step, from 1
        # @param facts of what it does
        def call(number, of, doing, arm:, **facts)
          @first ||= number
          return if printed?(number, doing) && !@console.err.tty?
          facts = facts.transform_values { |value| format("%g", value.round(1)) }
          @console.pass(@words.call(:sweep_progress, number:, of:, arm: arm.name, doing: doing(doing, facts),
            left: left(of - number + 1, number - @first)))
        end

        private

        # @return [Boolean] whether the last print showed the same
        def printed?(*step)
          same = @printed == step
          @printed = step
          same
        end

        def doing(doing, facts)
          @words.call(:"sweep_doing_#{doing}", **facts)
        end

        # Estimated from the steps so far.
        def left(steps, done)
          each_s = done.zero? ? @step_s : (@console.clock.realtime_s - @started_s).fdiv(done)
          rest_s = [(steps * each_s).ceil, 1].max
          rest_s = rest_s.ceildiv(MINUTE_S) * MINUTE_S if rest_s >= MINUTE_S
          @words.call(:sweep_about, time: Queries::OptionValues.length(rest_s))
        end
      end

      # The options of long experiments: in which file and store to save them, and which file to resume.
      class SavedResult
        # @param experiment [String] "sweep"
        # @param output [Array<Symbol>] values that may change on resume
        def initialize(experiment, now_s:, output:)
          @experiment = experiment
          @now_s = now_s
          @output = output
        end

        # @param experiment [String] "sweep"
        # @return [Array<Queries::Option>]
        def self.options(experiment)
          [
            CLI::Options::OUT.with(help: ["where it is kept (holdup-#{experiment}-TIME.json)"]),
            Queries::Option.text("--resume FILE", "go on with what Ctrl-C left"),
            CLI::Options::STORE.with(help: ["a store that gets the measurements as well"])
          ]
        end

        # @param values [Hash{Symbol => Object}] as parsed
        # @param ledgers [#new, #open] class of the experiment's file
        # @yieldreturn [Object] the plan of a new file
        # @return [Object] the experiment's file, new or resumed
        # @raise [UsageError]
        def ledger(values, ledgers)
          return new_ledger(values, ledgers, yield) unless values[:resume]
          others = values.keys - @output - %i[resume command]
          if others.any? || values[:command].to_a.any?
            raise UsageError.new("--resume goes on as it was begun",
              "leave out the other options and the command")
          end
          ledgers.open(values[:resume])
        end

        private

        def new_ledger(values, ledgers, plan)
          path = CLI::Places.path(values.fetch(:out) { file_name })
          CLI::Formats::Destination.check(path)
          ledgers.new(path, plan)
        end

        def file_name
          "holdup-#{@experiment}-#{Time.at(@now_s).strftime("%Y%m%d-%H%M%S")}.json"
        end
      end

      # What the commands of experiments that keep each step in a file have in common: progress while they
      # run, then the result, even of a part, and where it is kept.
      #
      # A command has @console, @words, @ledger (the file) and @store, and answers
      # - `experiment(store:, progress:)`: what measures; `rendered(result)`: the text
      # - `announce` before it starts and `hints(result)` after it, unless there is nothing to say
      module ResumableExperiment
        # @return [Integer] exit status
        # @raise [Holdup::Error] a step failed; the earlier measurements are printed first
        def run
          result = measured
          @console.show(rendered(result))
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path), *hints(result))
          raise result.failure if result.failure
          result.signal ? CLI::SIGNALED + result.signal : CLI::OK
        end

        private

        def measured
          store = @store && Store.open(@store)
          announce
          progress = ProgressLine.new(@console, words: @words, step_s: @ledger.plan.step_s)
          experiment(store:, progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        def announce = nil

        def hints(_result) = []
      end
    end
  end
end
