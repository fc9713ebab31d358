# frozen_string_literal: true

require "json"
require_relative "metrics"

module Holdup
  class StatsLog
    # A Line as text, ended by a newline.
    module Encoding
      # @param options [LogOptions]
      # @return [#call] takes a Line
      def self.for(options)
        (options.format == :emf) ? Emf.new(options.namespace) : PlainJson.new
      end

      # One JSON object.
      class PlainJson
        def call(line)
          "#{JSON.generate(line.to_h)}\n"
        end
      end

      # CloudWatch's embedded metric format: the same object, which also says which of its members are
      # metrics, so that no filter is needed. The process is in the line and no dimension, because every
      # dimension is a metric to be paid for.
      class Emf
        DIMENSIONS = %w[app server].freeze

        # @param namespace [String]
        def initialize(namespace)
          @namespace = namespace
        end

        def call(line)
          facts = line.to_h
          metrics = Metrics::UNITS.filter_map { |name, unit| {Name: name, Unit: unit} if facts.key?(name) }
          directive = {Namespace: @namespace, Dimensions: [DIMENSIONS.select { |name| facts.key?(name) }],
                       Metrics: metrics}
          "#{JSON.generate({_aws: {Timestamp: line.at_ms, CloudWatchMetrics: [directive]}, **facts})}\n"
        end
      end
    end
  end
end
