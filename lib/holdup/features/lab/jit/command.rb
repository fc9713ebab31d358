# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    module Jit
      # Measures YJIT on the user's own server: off, on at boot, on after boot, with little memory, with other
      # Rubies.
      class Command < Sweep::Command
        MEM_SIZES = (1..2048)
        SPANS = {warm_up_s: 90}.freeze
        STATES = {boot: "at boot", after: "after boot"}.freeze
        INSTALLED = "installed"

        StatesType = Data.define do
          include Queries::OptionTypes::Plain

          def read(option, text, _now_s)
            names = Queries::OptionTypes::Choices.new(STATES.keys).read(option, text, nil)
            STATES.values_at(*names)
          end
        end

        OPTIONS = LoadOptions::TrialOptions.options("jit", [
          Queries::Option.whole("--mem-size MIB", MEM_SIZES, "also with so much memory for YJIT"),
          Queries::Option.declare("--arms boot,after", StatesType.new,
            "in addition to off; both are the default", key: :states),
          Queries::Option.declare("--ruby PATH",
            Queries::OptionTypes::Repeated.new(Queries::OptionTypes::Text.new),
            "another Ruby too: PATH[,VARIABLE=VALUE], or installed", key: :rubies)
        ], usage: "--rate N --url PATH", spans: SPANS)

        class << self
          # @raise [UsageError]
          def keywords(given, console)
            values = given.values
            LoadOptions::TrialOptions.new("jit", console:, spans: SPANS).keywords(values) do
              env = console.env.to_h
              rubies = rubies(values, env)
              arms = Holdup::Lab::Jit.arms(env, rubies:, **values.slice(:states, :mem_size))
              [arms, arms.first]
            end
          end

          private

          def rubies(values, env)
            rubies = values.fetch(:rubies, []).flat_map do |text|
              next Holdup::Lab::Jit::InstalledRubies.new(env).call if text == INSTALLED
              Holdup::Lab::Jit::OtherRuby.parse(text)
            end
            rubies.uniq(&:version)
          end
        end

        def run
          @from_s = @console.clock.realtime_s
          super
        end

        private

        # One more command reports the states if there is a store.
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
