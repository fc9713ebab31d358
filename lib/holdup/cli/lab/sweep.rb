# frozen_string_literal: true

require "json"

module Holdup
  class CLI
    class Lab
      # One setting of the user's own server after the other under the same load, measured and predicted.
      class Sweep
        # Below that the table has no room.
        WIDEST = 100

        # @param console [Console]
        # @return [#parse]
        def self.options(console)
          Arguments.new(console)
        end

        # @param console [Console]
        # @param ledger [Holdup::Lab::Sweep::ProgressFile]
        # @param store [String, nil] URL or path
        # @param format [Symbol] :text, :markdown or :json
        # @param language [String, nil] nil: from the environment
        # @param lab [#new] Holdup::Lab::Sweep
        def initialize(console:, ledger:, store: nil, format: :text, language: nil, lab: Holdup::Lab::Sweep)
          @console = console
          @ledger = ledger
          @store = store
          @format = format
          @words = View::Words.new(language || Places.language(console.env))
          @lab = lab
        end

        # @return [Integer] exit status
        # @raise [Holdup::Error] what went wrong in a step, after what was measured before it is told
        def run
          result = measured
          @console.out.write(told(result))
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path), *hints(result))
          raise result.failure if result.failure
          result.signal ? SIGNALED + result.signal : OK
        end

        private

        def measured
          store = @store && Store.open(@store)
          announce
          progress = Progress.new(@console, words: @words, step_s: @ledger.plan.step_s)
          @lab.new(@ledger, env: @console.env.to_h, store:, progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        # Which requests it will send, where that was not typed.
        def announce
          Holdup::Lab::Sweep::Report::Sentences.new(Holdup::Lab::Sweep::SweepReport.new(@ledger), words: @words).then { |told| told.recorded + told.left_out }.each { |line| @console.err.puts(line) }
        end

        def told(result)
          return "#{JSON.pretty_generate(json(result))}\n" if @format == :json
          Formats.render(report(result).page, format: @format, console: @console, widest: WIDEST)
        end

        def hints(_result) = []

        def json(result) = result.to_h

        def report(result)
          Holdup::Lab::Sweep::Report.new(result, words: @words)
        end

        # Reads the arguments of `holdup lab sweep`: which settings are tried.
        Arguments = Data.define(:console) do
          # @param argv [Array<String>]
          # @return [Hash{Symbol => Object}] keywords of Sweep
          # @raise [UsageError]
          def parse(argv)
            options = TrialOptions.new("sweep", usage: "--threads 1,3,5 --rate N --url PATH", console:)
            values = options.parse(argv) { |parser, read| declare(parser, read) }
            values.key?(:help) ? values : options.keywords(values) { plan(values) }
          end

          private

          def declare(parser, values)
            parser.on("--threads N,N", "of each process, to try") { |text|
              values[:threads] = numbers("--threads", text)
            }
            parser.on("--processes P,P", "to try") { |text|
              values[:processes] = numbers("--processes", text)
            }
            parser.on("--yjit on,off", "to try, from the start of Ruby on") { |text|
              values[:yjit] =
                text.split(",").map { |part|
                  Queries::OptionValues.choice("--yjit", part,
                    %i[on off]) == :on
                }.uniq
            }
            parser.on("--slice TIME,TIME", "time slices to try: 10ms,100ms (Ruby 3.4)") { |text|
              values[:slices] = text.split(",").map { |part| slice(part.strip) }.uniq
            }
            parser.on("--baseline PxT", "the setting as it is now (the first of all)") { |text|
              values[:baseline] = text
            }
          end

          def numbers(option, text)
            text.split(",").map { |part| Queries::OptionValues.whole(option, part.strip, 1..1000) }.uniq
          end

          def slice(text)
            Queries::OptionValues.duration("--slice", text).tap { |ns|
              unless (1_000_000..1_000_000_000).cover?(ns)
                TrialOptions.refuse("--slice", text, "a time from 1ms to 1s")
              end
            }
          end

          def plan(values)
            lists = values.values_at(:processes, :threads, :yjit, :slices)
            if lists.none?
              raise UsageError.new("there is nothing to try",
                "give --threads, --processes, --yjit or --slice")
            end
            first, *others = lists.map { |list| list || [nil] }
            arms = first.product(*others).map { |processes, threads, yjit, time_slice_ns| Holdup::Lab::Arm.new(processes:, threads:, yjit:, time_slice_ns:) }
            [arms, baseline(values[:baseline], arms)]
          end

          def baseline(text, arms)
            return arms.first unless text
            size = text.match(/\A(\d+)x(\d+)\z/)&.captures&.map(&:to_i)
            arms.find { |arm|
              [arm.processes || 1,
                arm.threads || 1] == size
            } || TrialOptions.refuse("--baseline", text,
              "processes x threads of a setting that is tried, such as 1x5")
          end
        end
      end
    end
  end
end
