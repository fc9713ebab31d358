# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # The options that all experiments with the user's own server share: load, duration and output.
      class TrialOptions
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
