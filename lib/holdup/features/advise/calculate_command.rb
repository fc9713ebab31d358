# frozen_string_literal: true

module Holdup
  module Advise
    # The thread calculator: needs only the times of a request or job. Without them it takes those of a mean
    # request of the store, else of a mean job.
    class CalculateCommand
      extend CLI::CommandArguments

      # A number a second; the unit may be written.
      RateType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s) = Queries::OptionValues.positive(option, text.delete_suffix("/s"))
      end

      OPTIONS = CLI::Options.new("holdup calculate [--io 45% | --running 12ms --idle 30ms] [options]", [
        Queries::Option.share("--io SHARE", "share of a request's own time that is io: 45% or 0.45"),
        Queries::Option.duration("--running TIME", "or: how long a request holds the GVL (12ms)",
          key: :running_ns),
        Queries::Option.duration("--idle TIME", "and how long it waits for io (30ms)", key: :idle_ns),
        Queries::Option.whole("--acquisitions N", 1..1_000_000, "how often it takes the GVL (1)"),
        Queries::Option.declare("--threads LIST", Queries::OptionTypes::WholeList.new(1..1000),
          "rows of the table: 1,2,3,5,8"),
        Queries::Option.declare("--rate N", RateType.new,
          "requests that arrive per second, at all processes"),
        Queries::Option.whole("--processes P", 1..1000, "that they arrive at (1)"),
        Queries::Option.positive("--vcpus N", "that these share (one each)"),
        Queries::Option.positive("--cv2 N", "how requests differ: (deviation / mean) squared (1)", key: :cv2),
        *CLI::Formats.options(%i[text json]),
        CLI::Options::STORE.with(help: ["whose mean request or job it is ($HOLDUP_STORE)"]),
        CLI::Options::LANGUAGE
      ])

      # @param io [Float, nil] 0.0...1.0
      # @param arrivals [Hash{Symbol => Numeric}] rate, and with it processes, vcpus, cv2
      # @raise [UsageError] the options describe the request or job in part, or twice
      def initialize(console:, io: nil, running_ns: nil, idle_ns: nil, acquisitions: 1, threads: nil,
        format: :text, store: nil, language: nil, **arrivals)
        @console = console
        @timed = io.nil?
        @demand = demand(io, running_ns, idle_ns, acquisitions)
        @cv2 = arrivals.slice(:cv2)
        @arrivals = check(arrivals).except(:cv2)
        @threads = threads
        @format = format
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @raise [Error] no times are given, and nothing was recorded
      def run
        recorded = @demand ? nil : CLI::Places.reading(@console.env, @store) { |store| recorded(store) }
        calculator = Sizing::Calculator.new((@demand || recorded.demand).with(**@cv2), threads: @threads)
        calculation = CalculationReport.new(calculator, words: @words, timed: @timed, recorded:,
          arrivals: open_calculation(calculator))
        @console.show((@format == :json) ? calculation.json : rendered(calculation.page))
        CLI::OK
      end

      private

      def rendered(page)
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end

      def open_calculation(calculator)
        return if @arrivals.empty?
        threads = calculator.lines.map(&:threads)
        open = Sizing::OpenCalculator.new(calculator.demand, threads:, **@arrivals)
        CalculationReport::Open.new(open, words: @words)
      end

      def check(arrivals)
        return arrivals if arrivals.empty?
        unless arrivals.key?(:rate)
          raise UsageError.new("#{arrivals.keys.map { |key| "--#{key}" }.join(", ")} without --rate",
            "say how many requests arrive, such as --rate 40/s")
        end
        unless @timed
          raise UsageError.new("--rate needs a request's real times",
            "give --running 12ms --idle 30ms instead of --io")
        end
        arrivals
      end

      # @return [RecordedDemand]
      def recorded(store)
        now_s = @console.clock.realtime_s
        windows = store.sums(now_s - SizingOptions::SINCE_S, now_s, kinds: %i[request job]).map(&:window)
        RecordedDemand.of(windows) ||
          raise(Error.new("no request or job was recorded in the last 2 hours",
            "give its times, --running 12ms --idle 30ms, or only --io 45%"))
      end

      # @return [ServiceDemand, nil] nil: it is that of the recording
      def demand(io, running_ns, idle_ns, acquisitions)
        return if [io, running_ns, idle_ns].none?
        return Sizing::ServiceDemand.of_share(io) if io && !running_ns && !idle_ns
        raise UsageError.new("--io and --running/--idle say the same in two ways", "give one of them") if io
        unless running_ns && idle_ns
          raise UsageError.new("calculate needs both times of the request or job",
            "give --running 12ms --idle 30ms, or only --io 45%")
        end
        if running_ns.zero?
          raise UsageError.new("--running can't be 0",
            "a request or job that never holds the GVL needs no threads")
        end
        Sizing::ServiceDemand.new(held_ns: running_ns, idle_ns:, acquisitions:)
      end
    end
  end
end
