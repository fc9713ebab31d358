# frozen_string_literal: true

module Holdup
  class CLI
    # The arguments of `holdup advise`: which recording, within which limits, and what counts as better.
    class AdviseOptions
      ROWS = 14
      FORMATS = %i[text json markdown html].freeze
      OBJECTIVES = %i[latency cost balanced throughput].freeze
      # Options that go with an advice and not with its verification.
      ASKED = %i[slo kind app queue objective factor vcpus memory connections limit out save].freeze

      # @param now_s [Integer]
      def initialize(now_s)
        @now_s = now_s
      end

      # @param argv [Array<String>]
      # @return [Hash{Symbol => Object}] the keywords of Advise
      # @raise [UsageError] for what can't be read or contradicts itself
      def parse(argv)
        values = Options.new("holdup advise [options]") { |parser, read| declare(parser, read) }.parse(argv)
        return values if values.key?(:help)
        check(values)
        values.except(:since, :until).merge(span(values), values.key?(:queue) ? {kind: :job} : {})
      end

      private

      def span(values)
        values.key?(:verify) ? {from_s: values[:since],
                                to_s: values.fetch(:until, @now_s)} : SizingOptions.span_of(values, @now_s)
      end

      # What was asked for when the advice was given stands in its file.
      def check(values)
        given = (values.keys & ASKED) + [values[:format]].select { |format| format == :html }
        if values.key?(:verify) && given.any?
          raise UsageError.new("--verify takes none of what goes with an advice",
            "leave out #{given.map { |key| "--#{key.to_s.tr("_", "-")}" }.join(", ")}")
        end
        if values.key?(:queue) && values[:kind] == :request
          raise UsageError.new("--queue is of jobs", "leave out --kind request")
        end
      end

      def declare(parser, values)
        SizingOptions.declare(parser, values, @now_s)
        parser.on("--queue NAME", "of jobs: size what serves that queue") { |text| values[:queue] = text }
        parser.on("--objective WHAT", "latency, cost, balanced; jobs: throughput") { |text|
          values[:objective] = Queries::OptionValues.choice("--objective", text, OBJECTIVES)
        }
        parser.on("--load FACTOR", "x1.3: for so much of the recorded load") { |text| values[:factor] = Queries::OptionValues.factor("--load", text) }
        parser.on("--memory SIZE", "limit of a host: 512M, 2G") { |text|
          values[:memory] = SizingOptions.bytes("--memory", text)
        }
        parser.on("--db-connections N", "that the database server has for this app") { |text|
          values[:connections] = Queries::OptionValues.whole("--db-connections", text, 1..1_000_000)
        }
        declare_output(parser, values)
      end

      def declare_output(parser, values)
        parser.on("--limit N", "rows of the table (#{ROWS})") { |text| values[:limit] = Queries::OptionValues.whole("--limit", text, 4..10_000) }
        parser.on("--warm-up TIME", "after a boot, that don't count (120s); 0s: all counts") { |text|
          values[:warm_up_s] = Queries::OptionValues.duration("--warm-up", text) / 1_000_000_000
        }
        Formats.declare(parser, values, FORMATS)
        parser.on("--out FILE", "write it there") { |text| values[:out] = text }
        parser.on("--save FILE", "keep it there for --verify, besides") { |text| values[:save] = text }
        parser.on("--verify FILE", "what --save kept: has it come true since?") { |text|
          values[:verify] = text
        }
      end
    end
  end
end
