# frozen_string_literal: true

require_relative "../result"
require_relative "../spread"
require_relative "experiment"
require_relative "predictions"

module Bench
  # What was measured of a shape beside what its recording predicted.
  class ComparedShape
    MS = 1e6
    RECORDED = 0
    COLUMNS = ["requests/s", *OpenPredictions::PERCENTILES.flat_map do |share|
      ["p#{(share * 100).round}, ms", "predicted", "error, %"]
    end, "p95 against the recorded setting, error, %", "GVL held, ms",
      "fixed work against the recording's", "other CPUs"].freeze

    # One server in one round under one load. `measured`, `predicted`: percentile => ns; the others as in
    # OpenServer::OpenTurn, `speed`: fixed work against that of the recording
    ComparedTurn = Data.define(:server, :pattern, :round, :rate, :measured, :predicted, :held_ns, :speed,
      :beside) do
      # @return [Float] %
      def error(share)
        100 * (predicted.fetch(share) / measured.fetch(share) - 1)
      end
    end

    # @param share [Float]
    # @return [String]
    def self.name_of(share) = "p#{(share * 100).round}"

    # @param shape [OpenShape]
    # @param measurements [OpenExperiment::OpenMeasurements]
    # @param minutes [Float] that it took
    # @return [ComparedShape]
    def self.of(shape, measurements, minutes:)
      predictions = OpenPredictions.new(shape, measurements.recorded)
      turns = measurements.measured.map do |one|
        turn = one.turn
        predicted = predictions.call(*measurements.plan.settings.fetch(one.server), one.pattern,
          **turn.to_h.slice(:rate, :seconds, :seed))
        measured = predicted.to_h { |share, _| [share, turn.percentile(share)] }
        speed = one.work_ns / measurements.work_ns if one.work_ns && measurements.work_ns
        ComparedTurn.new(**one.to_h.slice(:server, :pattern, :round), rate: turn.rate, measured:, predicted:,
          speed:, **turn.to_h.slice(:beside, :held_ns))
      end
      new(shape, measurements, turns, predictions.recommendation, minutes:)
    end

    def initialize(shape, measurements, turns, recommendation, minutes:)
      @shape = shape
      @settings = measurements.plan.settings
      @failures = measurements.failures
      @rate = measurements.recorded.rate
      @turns = turns
      @minutes = minutes
      @self_test = recommendation.self_test
      @demand = recommendation.recording.demand
    end

    def name = @shape.name

    def title = @shape.title

    # @return [Array<Float>] %, of each setting and load: the median of its rounds
    def errors(share, turns = @turns)
      by_row(turns).values.map { |same| Spread.of(same.map { |turn| turn.error(share) }).median }
    end

    # @return [Array<Array<String>>] of PredictOpen::SUMMARY, one row a load
    def summaries
      by_pattern.map do |pattern, turns|
        worst = OpenPredictions::PERCENTILES.flat_map do |share|
          found = errors(share, turns).map(&:abs)
          [Spread.of(found).median, found.max].map { |error| format("%.1f", error) }
        end
        ["#{name}, #{pattern.name}", by_row(turns).size.to_s, *worst, apart(turns), speed(turns),
          format("%.1f", @minutes)]
      end
    end

    # @return [Array<ResultTable>] one a load
    def tables
      by_pattern.map do |pattern, turns|
        rows = by_row(turns).sort.map { |(server, _), same| row(server, same, turns) }
        ResultTable.new(["#{name}, #{pattern.name}: processes x threads", *COLUMNS], rows)
      end
    end

    # @return [String]
    def note
      errors = @self_test.errors.map { |what, error| format("%s %+.1f %%", what, error * 100) }.join(", ")
      failed = @failures.empty? ? "" : " Failed: #{@failures.join("; ")}."
      format("%s: recorded at %.1f requests a second, each with the GVL for %.1f ms, idle for %.1f ms, " \
        "%.0f acquisitions; self-test %s (%s).%s", name, @rate, @demand.held_ns / MS, @demand.idle_ns / MS,
        @demand.acquisitions, @self_test.grade.to_s.upcase, errors, failed)
    end

    private

    def by_pattern = @turns.group_by(&:pattern)

    def by_row(turns)
      turns.group_by { |turn| [turn.server, turn.pattern.name] }
    end

    def row(server, same, turns)
      times = OpenPredictions::PERCENTILES.flat_map do |share|
        [spread(same.map { |turn| turn.measured.fetch(share) / MS }),
          format("%.1f", Spread.of(same.map { |turn| turn.predicted.fetch(share) / MS }).median),
          spread(same.map { |turn| turn.error(share) })]
      end
      [label(server), format("%.1f", same.first.rate), *times, against_recorded(same, turns),
        spread(same.map { |turn| turn.held_ns / MS }), speed(same), spread(same.map(&:beside), 2)]
    end

    def label(server)
      name = @settings.fetch(server).join(" x ")
      return "#{name}, recorded" if server == RECORDED
      (@settings.index(@settings.fetch(server)) < server) ? "#{name}, another server" : name
    end

    # Of the ratio to the recorded setting's p95 in the same round: the machine's speed is not in it.
    def against_recorded(same, turns)
      recorded = turns.select { |turn| turn.server == RECORDED }.to_h { |turn| [turn.round, turn] }
      found = same.filter_map do |turn|
        beside = recorded[turn.round]
        next if beside.nil? || beside.equal?(turn)
        100 * ((1 + turn.error(0.95) / 100) / (1 + beside.error(0.95) / 100) - 1)
      end
      found.empty? ? "-" : spread(found)
    end

    # Two servers of one setting, in the same rounds.
    def apart(turns)
      recorded = turns.select { |turn| @settings.fetch(turn.server) == @settings.first }
      found = recorded.group_by(&:round).values.filter_map do |same|
        first, second = same.sort_by(&:server).map { |turn| turn.measured.fetch(0.95) }
        100 * (second.fdiv(first) - 1) if second
      end
      found.empty? ? "-" : spread(found)
    end

    def speed(turns)
      found = turns.filter_map(&:speed)
      found.empty? ? "-" : spread(found, 2)
    end

    def spread(values, digits = 1) = Spread.of(values).to_s(digits)
  end
end
