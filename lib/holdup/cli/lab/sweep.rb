# frozen_string_literal: true

require "json"

module Holdup
  class CLI
    class Lab
      # Measures and predicts each setting of the user's own server under the same load.
      class Sweep
        include ResumableExperiment

        def self.options(console)
          Arguments.new(console)
        end

        # @param lab [#new] Holdup::Lab::Sweep
        def initialize(console:, ledger:, store: nil, format: :text, language: nil, lab: Holdup::Lab::Sweep)
          @console = console
          @ledger = ledger
          @store = store
          @format = format
          @words = View::Words.new(language || Places.language(console.env))
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
          Formats.render(report(result).page, format: @format, console: @console, words: @words)
        end

        def json(result) = result.to_h

        def report(result)
          Holdup::Lab::Sweep::Report.new(result, words: @words)
        end

        # Reads the arguments of `holdup lab sweep`: which settings are tried.
        Arguments = Data.define(:console) do
          # @return [Hash{Symbol => Object}] keywords of Sweep
          # @raise [UsageError]
          def parse(argv)
            usage = "--threads 1,3,5 --rate N --url PATH"
            options = LoadOptions::TrialOptions.new("sweep", usage:, console:)
            values = options.parse(argv) { |parser, read| declare(parser, read) }
            values.key?(:help) ? values : options.keywords(values) { plan(values) }
          end

          private

          def declare(parser, values)
            parser.on("--threads N,N", "of each process, to try") do |text|
              values[:threads] = numbers("--threads", text)
            end
            parser.on("--processes P,P", "to try") do |text|
              values[:processes] = numbers("--processes", text)
            end
            parser.on("--yjit on,off", "to try, from the start of Ruby on") do |text|
              values[:yjit] = Queries::OptionValues.parts(text).map { |part| yjit?(part) }.uniq
            end
            parser.on("--slice TIME,TIME", "time slices to try: 10ms,100ms (Ruby 3.4)") do |text|
              values[:slices] = Queries::OptionValues.parts(text).map { |part| slice(part) }.uniq
            end
            parser.on("--baseline PxT", "the setting as it is now (the first of all)") do |text|
              values[:baseline] = text
            end
          end

          def numbers(option, text)
            parts = Queries::OptionValues.parts(text)
            parts.map { |part| Queries::OptionValues.whole(option, part, 1..1000) }.uniq
          end

          def yjit?(text)
            Queries::OptionValues.choice("--yjit", text, %i[on off]) == :on
          end

          def slice(text)
            ns = Queries::OptionValues.duration("--slice", text)
            return ns if (1_000_000..1_000_000_000).cover?(ns)
            LoadOptions::TrialOptions.refuse("--slice", text, "a time from 1ms to 1s")
          end

          def plan(values)
            lists = values.values_at(:processes, :threads, :yjit, :slices)
            if lists.none?
              raise UsageError.new("there is nothing to try",
                "give --threads, --processes, --yjit or --slice")
            end
            first, *others = lists.map { |list| list || [nil] }
            arms = first.product(*others).map do |processes, threads, yjit, time_slice_ns|
              Holdup::Lab::Arm.new(processes:, threads:, yjit:, time_slice_ns:)
            end
            [arms, baseline(values[:baseline], arms)]
          end

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
