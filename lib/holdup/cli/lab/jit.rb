# frozen_string_literal: true

require "json"

module Holdup
  class CLI
    class Lab
      # Measures YJIT on the user's own server: off, on at boot, on after boot, with little memory, with other
      # Rubies.
      class Jit < Sweep
        MEM_SIZES = (1..2048)
        SPANS = {warm_up_s: 90}.freeze
        STATES = {boot: "at boot", after: "after boot"}.freeze
        INSTALLED = "installed"
        NS = 1_000_000_000

        # Reads the arguments to the keywords of Jit.
        Arguments = Data.define(:console) do
          # @raise [UsageError]
          def parse(argv)
            options = LoadOptions::TrialOptions.new("jit", usage: "--rate N --url PATH", console:,
              spans: Jit::SPANS)
            values = options.parse(argv) { |parser, read| declare(parser, read) }
            return values if values.key?(:help)
            options.keywords(values) do
              arms = Holdup::Lab::Jit.arms(env, rubies: rubies(values), **values.slice(:states, :mem_size))
              [arms, arms.first]
            end
          end

          private

          def env = console.env.to_h

          def declare(parser, values)
            parser.on("--mem-size MIB", "also with so much memory for YJIT") do |text|
              values[:mem_size] = Queries::OptionValues.whole("--mem-size", text, Jit::MEM_SIZES)
            end
            parser.on("--arms boot,after", "in addition to off; both are the default") do |text|
              values[:states] = Queries::OptionValues.parts(text).map do |name|
                Jit::STATES.fetch(Queries::OptionValues.choice("--arms", name, Jit::STATES.keys))
              end
            end
            parser.on("--ruby PATH", "another Ruby too: PATH[,VARIABLE=VALUE], or installed") do |text|
              (values[:rubies] ||= []) << text
            end
          end

          def rubies(values)
            rubies = values.fetch(:rubies, []).flat_map do |text|
              next Holdup::Lab::Jit::InstalledRubies.new(env).call if text == Jit::INSTALLED
              Holdup::Lab::Jit::OtherRuby.parse(text)
            end
            rubies.uniq(&:version)
          end
        end

        def self.options(console) = Arguments.new(console)

        def run
          @from_s = @console.clock.realtime_s
          super
        end

        private

        # With a store, one more command reports the states.
        def hints(result) = [took, *states(result)]

        def took
          elapsed_ns = (@console.clock.realtime_s - @from_s) * NS
          @words.call(:jitlab_took, elapsed: View::Figures.duration(elapsed_ns))
        end

        def states(result)
          return [] unless @store
          command = Holdup::Lab::Jit::ArmStates.new(result).command(Store.redact(@store))
          [@words.call(:jitlab_states, command:)]
        end

        def json(result)
          result.to_h.merge(jit: Holdup::Lab::Jit::ArmComparison.new(result).to_h)
        end

        def report(result)
          comparison = Holdup::Lab::Jit::ArmComparison.new(result)
          Holdup::Lab::Jit::ArmComparison::ArmReport.new(result, comparison, words: @words)
        end
      end
    end
  end
end
