# frozen_string_literal: true

module Holdup
  module ConfigurationKeys
    # What `config.scaling` asks for: the promise to which the collector relates the load.
    #
    # - `slo`: "p95=300ms", of requests; nil: their capacity is unknown
    # - `within`: seconds in which waiting jobs are to begin
    ScalingGoal = Data.define(:slo, :within) do
      def initialize(slo: nil, within: self.class::WITHIN_S) = super

      # @param value [String, Symbol, Hash, nil] a valid value of the setting
      # @return [ScalingGoal, nil] nil: no signal
      def self.from(value)
        case value
        when nil, :off then nil
        when String then new(slo: value)
        else new(**value)
        end
      end

      # For HOLDUP_SCALING of a collector, which has no other way to know what the application's code set.
      def to_s
        to_h.compact.map { |name, value| "#{name}=#{value}" }.join(",")
      end
    end

    ScalingGoal::WITHIN_S = 300
    # As Sizing::Slo reads it, with a limit.
    ScalingGoal::SLO = /\Ap(?:[5-9]\d)(?:\.\d)?=\d{1,9}(?:\.\d{1,6})?\s?(?:us|ms|s)\z/

    module Types
      # The promise that the scaling signal is about: a percentile with a time, or a Hash.
      Scaling = Data.define do
        def expected
          'a promise such as "p95=300ms", {slo: "p95=300ms", within: 300}, or :off ' \
            "(within: 1 to 86400 s; in the environment p95=300ms, off, or slo=p95=300ms,within=300)"
        end

        def parse(text)
          return :off if text.downcase == "off"
          return text if ScalingGoal::SLO.match?(text)
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          read = pairs.to_h { |name, given| [name.to_s.to_sym, option(name, given.to_s)] }
          read unless pairs.empty? || read.value?(nil) || read.size < pairs.size
        end

        def valid?(value)
          return value == :off || slo?(value) unless value.is_a?(Hash)
          value.any? && value.all? { |name, given| option?(name, given) }
        end

        private

        def slo?(value)
          value.is_a?(String) && ScalingGoal::SLO.match?(value)
        end

        def option(name, text)
          case name
          when "slo" then text
          when "within" then Integer(text, 10, exception: false)
          end
        end

        def option?(name, given)
          case name
          when :slo then slo?(given)
          when :within then Whole.new(1..86_400).valid?(given)
          end
        end
      end
    end
  end
end
