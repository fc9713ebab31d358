# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # The experiment's file: the plan, and everything that was measured and predicted so far. Written after
      # each run.
      class JobLog
        FILE = LedgerFile.new("jobs")

        attr_reader :path, :plan, :readings

        # @param path [String]
        # @return [JobLog]
        # @raise [Holdup::Error] it can't be read, or is none
        def self.open(path)
          FILE.read(path) { |hash|
            new(path, JobsPlan.from(hash.fetch(:plan)),
              readings: hash.fetch(:readings).map { |one| JobsMeasurement.from(one) })
          }
        end

        # @param path [String]
        # @param plan [JobsPlan]
        # @param readings [Array<JobsMeasurement>]
        def initialize(path, plan, readings: [])
          @path = path
          @plan = plan
          @readings = readings
        end

        # @return [Array<Step>] that were not done yet
        def left
          plan.steps.reject { |step|
            readings.any? { |reading| step.to_h == reading.to_h.slice(*step.to_h.keys) }
          }
        end

        # @param reading [JobsMeasurement]
        # @return [void]
        def add(reading)
          @readings += [reading]
          write
        end

        # @return [void]
        # @raise [Holdup::Error]
        def write = FILE.write(path, parts)

        # @return [Hash]
        def to_h = FILE.whole(parts)

        private

        def parts
          {plan: plan.to_h, readings: readings.map(&:to_h)}
        end
      end
    end
  end
end
