# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # The sweep's file: the plan, and everything that was measured and predicted so far. Written after each
    # step.
    class Sweep::ProgressFile
      FILE = LedgerFile.new("sweep")

      attr_reader :path, :plan, :readings, :predictions

      # @param path [String]
      # @return [Ledger]
      # @raise [Holdup::Error] it can't be read, or is none
      def self.open(path)
        FILE.read(path) do |hash|
          new(path, Sweep::SweepPlan.from(hash.fetch(:plan)), readings: hash.fetch(:readings).map { |one| Sweep::SettingMeasurement.from(one) },
            predictions: hash.fetch(:predictions).map { |one| Sweep::Prediction.from(one) })
        end
      end

      # @param path [String]
      # @param plan [Plan]
      def initialize(path, plan, readings: [], predictions: [])
        @path = path
        @plan = plan
        @readings = readings
        @predictions = predictions
      end

      # @return [Array<Array(Integer, Arm)>] steps that were not done yet
      def left
        plan.steps.reject { |round, arm| done?(round, arm) }
      end

      # @param readings [Array<Reading>] of one step
      # @param predictions [Array<Prediction>]
      # @return [void]
      def add(readings, predictions = [])
        @readings += readings
        @predictions += predictions
        write
      end

      # @return [void]
      # @raise [Holdup::Error]
      def write = FILE.write(path, parts)

      # @return [Hash]
      def to_h = FILE.whole(parts)

      private

      def parts
        {plan: plan.to_h, readings: readings.map(&:to_h), predictions: predictions.map(&:to_h)}
      end

      def done?(round, arm)
        readings.any? { |reading| reading.round == round && reading.arm == arm }
      end
    end
  end
end
