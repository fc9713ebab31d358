# frozen_string_literal: true

require "json"
require_relative "../../errors"
require_relative "plan"
require_relative "predictor"
require_relative "reading"

module Holdup
  module Lab
    class Sweep
    end

    # The sweep's file: the plan, and everything that was measured and predicted so far. Written after each step, whole or not at
    # all, so that Ctrl-C and a crash cost one step at most.
    class Sweep::Ledger
      SCHEMA = 1
      KIND = "holdup sweep"

      attr_reader :path, :plan, :readings, :predictions

      # @param path [String]
      # @return [Ledger]
      # @raise [Holdup::Error] it can't be read, or is none
      def self.open(path)
        hash = JSON.parse(File.read(path), symbolize_names: true)
        raise damaged(path) unless hash.is_a?(Hash) && hash.values_at(:kind, :schema) == [KIND, SCHEMA]
        new(path, Sweep::Plan.from(hash.fetch(:plan)), readings: hash.fetch(:readings).map { |one| Sweep::Reading.from(one) },
          predictions: hash.fetch(:predictions).map { |one| Sweep::Prediction.from(one) })
      rescue JSON::ParserError, KeyError, ArgumentError, NoMethodError
        raise damaged(path)
      rescue SystemCallError => error
        raise Error.new("the sweep #{path} can't be read (#{error.message})", "name the file that `holdup lab sweep` wrote")
      end

      def self.damaged(path) = Error.new("#{path} is no sweep of this version", "name the file that `holdup lab sweep` wrote")
      private_class_method :damaged

      # @param path [String]
      # @param plan [Plan]
      def initialize(path, plan, readings: [], predictions: [])
        @path = path
        @plan = plan
        @readings = readings
        @predictions = predictions
      end

      # @return [Array<Array(Integer, Arm)>] steps that were not done yet
      def left = plan.steps.reject { |round, arm| done?(round, arm) }

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
      def write
        File.write("#{path}.new", "#{JSON.pretty_generate(to_h)}\n")
        File.rename("#{path}.new", path)
      rescue SystemCallError => error
        raise Error.new("the sweep can't be kept in #{path} (#{error.message})", "name another file with --out")
      end

      # @return [Hash]
      def to_h = {kind: KIND, schema: SCHEMA, plan: plan.to_h, readings: readings.map(&:to_h), predictions: predictions.map(&:to_h)}

      private

      def done?(round, arm) = readings.any? { |reading| reading.round == round && reading.arm == arm }
    end
  end
end
