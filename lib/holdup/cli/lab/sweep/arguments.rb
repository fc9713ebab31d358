# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      class Sweep
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
