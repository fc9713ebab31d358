# frozen_string_literal: true

module Holdup
  module ConfigurationKeys
    # What `config.prometheus` asks for.
    #
    # - `port`: nil without a port of its own, when only Holdup::Web serves the figures
    # - `bind`: address of that port; `series`: how many label sets at most; `labels`: names of the labels
    PrometheusExport = Data.define(:port, :bind, :series, :labels) do
      def initialize(port: nil, bind: "127.0.0.1", series: 200, labels: self.class::DEFAULT_LABELS)
        super(port:, bind:, series:, labels: labels.map(&:to_sym))
      end

      # @param value [Integer, Symbol, Hash, nil] a valid value of the setting
      # @return [PrometheusExport, nil] nil: no export
      def self.from(value)
        case value
        when nil, :off then nil
        when :web then new
        when Integer then new(port: value)
        else new(**value)
        end
      end

      # For HOLDUP_PROMETHEUS of a collector, which has no other way to know what the application's code set.
      def to_s
        facts = {port:, bind:, series:, labels: labels.join(" ")}.compact
        facts.map { |name, value| "#{name}=#{value}" }.join(",")
      end
    end

    PrometheusExport::DEFAULT_LABELS = %i[app role kind name queue host].freeze
    PrometheusExport::LABELS = [*PrometheusExport::DEFAULT_LABELS, :revision, :arm].freeze

    module Types
      # Where Prometheus gets its figures: a port, only the dashboard, or a Hash.
      Prometheus = Data.define do
        def expected
          "a port (9395), :web, :off, or " \
            '{port: 9395, bind: "127.0.0.1", series: 200, labels: %i[app role kind name queue host]} ' \
            "(series: 1 to 10000; further labels: revision, arm; " \
            "in the environment 9395, web, off, or port=9395,bind=0.0.0.0,labels=app name)"
        end

        def parse(text)
          return text.downcase.to_sym if %w[web off].include?(text.downcase)
          return Integer(text, 10, exception: false) unless text.include?("=")
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          read = pairs.to_h { |name, given| [name.to_sym, option(name, given.to_s)] }
          read unless read.value?(nil) || read.size < pairs.size
        end

        def valid?(value)
          return port?(value) unless value.is_a?(Hash)
          value.all? { |name, given| option?(name, given) }
        end

        private

        def port?(value)
          value == :web || value == :off || (value.is_a?(Integer) && value.between?(1, 65_535))
        end

        def option(name, text)
          case name
          when "port", "series" then Integer(text, 10, exception: false)
          when "bind" then text
          when "labels" then text.split.map(&:to_sym)
          end
        end

        def option?(name, given)
          case name
          when :port then given.is_a?(Integer) && given.between?(1, 65_535)
          when :bind then given.is_a?(String) && given.match?(/\A[\w.:-]{1,255}\z/)
          when :series then given.is_a?(Integer) && given.between?(1, 10_000)
          when :labels then labels?(given)
          end
        end

        def labels?(given)
          given.is_a?(Array) && given.all? { |label| label.respond_to?(:to_sym) } &&
            (given.map(&:to_sym) - PrometheusExport::LABELS).empty?
        end
      end
    end
  end
end
