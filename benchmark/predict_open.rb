# frozen_string_literal: true

require "fileutils"
require_relative "support/bench"
require_relative "support/open/compared"
require_relative "support/open/experiment"

module Bench
  # Whether one recording tells what response times other settings have under open loads: requests that come
  # on their own or in page loads, on a connection each or on kept ones, for applications of several shapes.
  class PredictOpen
    RECORDED = [1, 5].freeze
    # Variables: names of the shapes to measure, separated by commas; a folder that keeps what was measured,
    # with which a run that was stopped goes on, and later ones only predict; "1": all settings and loads.
    CHOSEN = "BENCH_PARTS"
    KEPT = "BENCH_RECORDINGS"
    LONG = "BENCH_LONG"
    # The recorded setting comes twice: two servers of one setting differ, too.
    SETTINGS = [RECORDED, RECORDED, [1, 1], [1, 3], [1, 10], [2, 5]].freeze
    ALL_SETTINGS = [*SETTINGS, [2, 1], [2, 3], [2, 10]].freeze
    ALL_PATTERNS = %i[poisson bursts].product([false, true]).map do |arrivals, kept|
      OpenPattern.new(arrivals:, kept:)
    end.freeze
    PATTERNS = ALL_PATTERNS.values_at(0, -1).freeze
    WHOLE = OpenExperiment::OpenPlan.new(settings: SETTINGS, patterns: PATTERNS, warm_up_s: 30,
      recorded_s: 60, turn_s: 10, rounds: 2)
    WHOLE_LONG = WHOLE.with(settings: ALL_SETTINGS, patterns: ALL_PATTERNS, recorded_s: 195, turn_s: 20,
      rounds: 3)
    # A part of a minute that is shorter than five seconds does not show its load.
    QUICK = WHOLE.with(settings: [RECORDED, [2, 3]], warm_up_s: 2, recorded_s: 24, turn_s: 3, rounds: 1)
    # %, of the response: at the median of the settings and at the worst.
    LIMITS = {median: 12, largest: 20}.freeze
    SUMMARY = ["shape, requests", "settings", "p50: error, %, median", "largest", "p95: median", "largest",
      "p99: median", "largest", "p95 of two servers of #{RECORDED.join(" x ")}, % apart",
      "fixed work against the recording's", "minutes"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @plan = if quick then QUICK
      elsif ENV.fetch(LONG, nil) == "1" then WHOLE_LONG
      else WHOLE
      end
      @names = ENV.fetch(CHOSEN, OpenShapes::ALL.keys.join(",")).split(",")
      unknown = @names - OpenShapes::ALL.keys
      known = OpenShapes::ALL.keys.join(", ")
      raise Failure, "#{CHOSEN} has #{unknown.first}; there are #{known}" if unknown.any?
      @compared = []
      @failures = []
    end

    # A shape that fails does not lose the others.
    # @yieldparam result [Result] with the shapes so far
    # @return [Result]
    # @raise [Failure] no shape could be measured
    def call
      @names.each do |name|
        @compared << compared(name)
        yield result if block_given?
      rescue Holdup::Error, Failure => error
        @failures << "#{name} could not be measured: #{Bench.failure_line(error)}"
        warn("bench: #{@failures.last}")
      end
      raise Failure, @failures.join("; ") if @compared.empty?
      result
    end

    private

    def result
      Result.new(title: "Response times under open loads at other settings, predicted", about:,
        tables: [ResultTable.new(SUMMARY, @compared.flat_map(&:summaries)), *@compared.flat_map(&:tables)],
        budgets:, notes: [*@compared.map(&:note), *@failures])
    end

    # @return [ComparedShape]
    def compared(name)
      began_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      OpenShapes.open(name) do |shape|
        measurements = measurements(shape)
        warn("bench: #{name}: predicting")
        minutes = (Process.clock_gettime(Process::CLOCK_MONOTONIC) - began_s) / 60
        ComparedShape.of(shape, measurements, minutes:)
      end
    end

    def measurements(shape)
      folder = ENV.fetch(KEPT, nil)
      return measured(shape) unless folder
      FileUtils.mkdir_p(folder)
      path = File.join(folder, "open-#{shape.name}")
      kept = OpenExperiment::OpenMeasurements.kept(path) if File.exist?(path)
      return kept if kept&.done
      measured(shape) { |measurements| measurements.keep(path) }
    end

    def measured(shape, &)
      OpenExperiment.new(shape, @plan, progress: ->(what) { warn("bench: #{what}") }).call(&)
    end

    def budgets
      OpenPredictions::PERCENTILES.flat_map do |share|
        errors = @compared.flat_map { |shape| shape.errors(share) }.map(&:abs)
        next [] if errors.empty?
        figures = {median: Spread.of(errors).median, largest: errors.max}
        figures.map do |which, error|
          Budget.new("#{ComparedShape.name_of(share)}: #{which} error of all settings and loads",
            LIMITS.fetch(which), error, "%")
        end
      end
    end

    def about
      shares = OpenExperiment::SHARES.to_h do |arrivals, by_processes|
        [arrivals, by_processes.values.map { |share| format("%.0f", share * 100) }.join(" and ")]
      end
      "Puma with Holdup: #{shapes}. Servers of all settings, booted and warm (steady, after " \
      "#{@plan.warm_up_s} s at most), are loaded in turns of #{@plan.turn_s} s, in another order each " \
      "time, #{@plan.rounds} rounds, two servers of one setting, #{RECORDED.join(" x ")} (processes x " \
      "threads), among them. One of these is recorded for #{@plan.recorded_s} s under requests that come " \
      "on their own (Poisson), each on a connection of its own: in #{@plan.parts} parts, before the rounds " \
      "and as a turn of each, so that the recording has the machine's speeds that the turns have. " \
      "Each load is a part of what the recording says that the setting can serve: " \
      "#{shares.fetch(:poisson)} % (one process, two) of single requests, #{shares.fetch(:bursts)} % in " \
      "page loads. Times are Holdup's own: from the client's sending to the request's end. They are " \
      "predicted from the recording alone, as in `holdup whatif`, for the very requests of each turn. " \
      "Errors are taken turn by turn: the median of the rounds, and their range. Against the recorded " \
      "setting: the same error of the ratio to what the recorded setting took in the same round. GVL " \
      "held: by a request, on average, with what it waited for a CPU meanwhile. Fixed work: how long a " \
      "fixed piece of work took, against the recording."
    end

    def shapes
      @compared.map { |shape| "#{shape.name} (#{shape.title})" }.join(", ")
    end
  end
end
