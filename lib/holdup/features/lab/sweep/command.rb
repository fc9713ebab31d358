# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class Sweep
      # Measures and predicts each setting of the user's own server under the same load.
      class Command
        include Lab::Command::ResumableExperiment

        extend CLI::CommandArguments

        # Each of the types has several values, with commas.
        ListType = Data.define(:type) do
          include Queries::OptionTypes::Plain

          def read(option, text, now_s)
            Queries::OptionValues.parts(text).map { |part| type.read(option, part, now_s) }.uniq
          end
        end
        OnOffType = Data.define do
          def read(option, text, _now_s) = Queries::OptionValues.choice(option, text, %i[on off]) == :on
        end

        numbers = ListType.new(Queries::OptionTypes::Whole.new(1..1000))
        OPTIONS = LoadOptions::TrialOptions.options("sweep", [
          Queries::Option.declare("--threads N,N", numbers, "of each process, to try"),
          Queries::Option.declare("--processes P,P", numbers, "to try"),
          Queries::Option.declare("--yjit on,off", ListType.new(OnOffType.new),
            "to try, from the start of Ruby on"),
          Queries::Option.declare("--slice TIME,TIME", ListType.new(Queries::OptionTypes::TimeSlice.new),
            "time slices to try: 10ms,100ms (Ruby 3.4)", key: :slices),
          Queries::Option.text("--baseline PxT", "the setting as it is now (the first of all)")
        ], usage: "--threads 1,3,5 --rate N --url PATH")

        # @raise [UsageError]
        def self.keywords(given, console)
          options = LoadOptions::TrialOptions.new("sweep", console:)
          options.keywords(given.values) { TriedSettings.new(given.values).call }
        end

        # @param lab [#new] Holdup::Lab::Sweep
        def initialize(console:, ledger:, store: nil, format: :text, language: nil, lab: Holdup::Lab::Sweep)
          @console = console
          @ledger = ledger
          @store = store
          @format = format
          @words = View::Words.new(language || CLI::Places.language(console.env))
          @lab = lab
        end

        private

        def experiment(store:, progress:)
          @lab.new(@ledger, env: @console.env.to_h, store:, progress:)
        end

        # Prints which requests it will send, if they come from a recording.
        def announce
          plan = Holdup::Lab::Sweep::SweepReport.new(@ledger)
          sentences = Holdup::Lab::Sweep::Report::Sentences.new(plan, words: @words)
          [*sentences.recorded, *sentences.left_out].each { |sentence| @console.err.puts(sentence) }
        end

        def rendered(result)
          return "#{JSON.pretty_generate(json(result))}\n" if @format == :json
          CLI::Formats.render(report(result).page, format: @format, console: @console, words: @words)
        end

        def json(result) = result.to_h

        def report(result)
          Holdup::Lab::Sweep::Report.new(result, words: @words)
        end

        # Which settings are tried.
        class TriedSettings
          # @param values [Hash{Symbol => Object}] as parsed
          def initialize(values)
            @values = values
          end

          # @return [Array(Array<Holdup::Lab::Arm>, Holdup::Lab::Arm)] arms and baseline
          # @raise [UsageError]
          def call
            lists = @values.values_at(:processes, :threads, :yjit, :slices)
            if lists.none?
              raise UsageError.new("there is nothing to try",
                "give --threads, --processes, --yjit or --slice")
            end
            first, *others = lists.map { |list| list || [nil] }
            arms = first.product(*others).map do |processes, threads, yjit, time_slice_ns|
              Holdup::Lab::Arm.new(processes:, threads:, yjit:, time_slice_ns:)
            end
            [arms, baseline(@values[:baseline], arms)]
          end

          private

          def baseline(text, arms)
            return arms.first unless text
            size = text.match(/\A(\d+)x(\d+)\z/)&.captures&.map(&:to_i)
            arm = arms.find { |candidate| [candidate.processes || 1, candidate.threads || 1] == size }
            return arm if arm
            LoadOptions::TrialOptions.refuse("--baseline", text,
              "processes x threads of a setting that is tried, such as 1x5")
          end
        end
      end
    end
  end
end
