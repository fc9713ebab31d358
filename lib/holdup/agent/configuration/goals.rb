# frozen_string_literal: true

require_relative "../../model/quantities"

module Holdup
  module ConfigurationKeys
    # What `config.autopilot` asks for: which promise holds, and which threads or processes it may set.
    #
    # - `slo`: "p95=300ms", of requests; `errors`: share of them that may fail
    # - `threads`, `processes`: Range, nil: they stay as they are; `changes_per_day`: experiments that it may
    #   begin
    # - `turn`: seconds of an arm's turn; `window`: seconds of the windows that a worker watches; `lease`:
    #   seconds after which what is configured returns unless the collector renews it
    AutopilotGoal = Data.define(
      :slo, :threads, :processes, :changes_per_day, :errors, :turn, :window, :lease
    ) do
      # @param value [Hash, Symbol, nil] a valid value of the setting
      # @return [AutopilotGoal, nil] nil: off
      def self.from(value)
        return unless value.is_a?(Hash)
        name, limit = value[:slo].first
        new(**value, slo: "#{name}=#{limit.delete(" ")}")
      end

      # @param text [String] of `to_s`
      # @return [AutopilotGoal, nil] nil for anything else
      def self.parse(text)
        type = Types::Autopilot.new
        value = type.parse(text.to_s)
        from(value) if value && type.valid?(value)
      end

      def initialize(slo:, threads: nil, processes: nil, changes_per_day: 2, errors: 0.05, turn: 180,
        window: 10, lease: 60)
        super
      end

      # @return [Array<String>] what it may set, the one to prefer first
      def levers = self.class::LEVERS.select { |name| range(name) }

      # @return [String] the first of them
      def lever = levers.first

      # @param lever [String] one of LEVERS, or any other
      # @return [Range, nil]
      def range(lever) = self.class::LEVERS.include?(lever) ? public_send(lever) : nil

      # @return [AutopilotGoal] for that lever alone
      def only(lever)
        others = (self.class::LEVERS - [lever]).to_h { |name| [name.to_sym, nil] }
        with(**others)
      end

      # @return [Float] 0.95
      def percentile = slo[/\Ap([\d.]+)/, 1].to_f / 100

      def limit_ns
        number, unit = slo.match(/=([\d.]+)(\w+)/).captures
        (number.to_f * self.class::UNITS.fetch(unit)).round
      end

      # The collector reads this text in a segment's profile; HOLDUP_AUTOPILOT takes it too.
      def to_s
        ranges = levers.map { |name| "#{name}=#{range(name).min}..#{range(name).max}" }
        numbers = to_h.except(:slo, *levers.map(&:to_sym)).compact.map { |name, value| "#{name}=#{value}" }
        [slo, *ranges, *numbers].join(" ")
      end
    end
    AutopilotGoal::LEVERS = %w[threads processes].freeze
    AutopilotGoal::UNITS = {"us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze

    module Types
      # The promise and the limits of the autopilot, as a Hash or as words.
      Autopilot = Data.define do
        def expected
          '{slo: {p95: "300ms"}, threads: 1..8, changes_per_day: 2} or :off (threads, processes: a range ' \
            "from 1 to 1000, at least one of them; changes_per_day: 1 to 24; errors: share of failed " \
            "requests, above 0 to 1; " \
            "in the environment p95=300ms threads=1..8 changes_per_day=2, or off)"
        end

        def parse(text)
          return :off if text.strip.downcase == "off"
          pairs = text.split.map { |pair| pair.split("=", 2) }
          return if pairs.empty? || pairs.any? { |pair| pair.size < 2 }
          read = pairs.to_h { |name, given| [name.to_sym, option(name, given)] }
          promises = read.select { |name, _| name.match?(self.class::PROMISE) }
          {slo: promises, **read.except(*promises.keys)} unless read.value?(nil) || read.size < pairs.size
        end

        def valid?(value)
          return value == :off unless value.is_a?(Hash)
          names = AutopilotGoal::LEVERS.map(&:to_sym)
          return false unless value.key?(:slo) && value.keys.intersect?(names)
          value.all? { |name, given| option?(name, given) }
        end

        private

        def option(name, text)
          case name
          when self.class::PROMISE then text
          when *AutopilotGoal::LEVERS then range(text)
          when "errors" then Float(text, exception: false)
          when "changes_per_day", "turn", "window", "lease" then Integer(text, 10, exception: false)
          end
        end

        def range(text)
          match = /\A(\d{1,4})\.\.(\d{1,4})\z/.match(text)
          match && (match[1].to_i..match[2].to_i)
        end

        def option?(name, given)
          case name
          when :slo then promise?(given)
          when :threads, :processes then number_range?(given)
          when :errors then given.is_a?(Numeric) && given.real? && given.positive? && given <= 1
          when *self.class::WHOLE.keys then Whole.new(self.class::WHOLE.fetch(name)).valid?(given)
          end
        end

        def promise?(given)
          return false unless given.is_a?(Hash) && given.size == 1
          name, limit = given.first
          name.to_s.match?(self.class::PROMISE) && limit.is_a?(String) && limit.match?(self.class::LIMIT)
        end

        def number_range?(given)
          return false unless given.is_a?(Range) && [given.begin, given.end].all?(Integer)
          given.any? && given.min >= 1 && given.max <= 1000
        end
      end

      Autopilot::PROMISE = /\Ap[5-9]\d(?:\.\d)?\z/
      Autopilot::LIMIT = /\A\d{1,9}(?:\.\d{1,6})?\s?(?:us|ms|s)\z/
      Autopilot::WHOLE = {changes_per_day: 1..24, turn: 2..3600, window: 1..600, lease: 2..3600}.freeze
    end

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

      # HOLDUP_SCALING gives this text to a collector, which has no other way to know what the application's
      # code set.
      def to_s
        to_h.compact.map { |name, value| "#{name}=#{value}" }.join(",")
      end
    end

    ScalingGoal::WITHIN_S = JOBS_WITHIN_S
    # Advise::Sizing::Slo reads the same form; here the limit is required.
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
