# frozen_string_literal: true

require_relative "types"

module Holdup
  module ConfigurationKeys
    # What all exports have. Each class has KEY (its setting) and MAIN (the option that stands for the whole
    # setting when no Hash is given).
    module Export
      DEFAULT_LABELS = %i[app role kind name queue host].freeze
      LABELS = [*DEFAULT_LABELS, :revision, :arm].freeze
      # How many label sets.
      SERIES = 200

      def self.included(export) = export.extend(FromValue)

      module FromValue
        # @param value [Object, nil] a valid value of the setting
        # @return [Export, nil] nil: no export
        def from(value)
          case value
          when nil, :off then nil
          when Symbol then new
          when Hash then new(**value)
          else new(self::MAIN => value)
          end
        end
      end

      # Name of the setting.
      def key = self.class::KEY

      def variable = "HOLDUP_#{key.upcase}"

      # The environment gives this text to a collector, which has no other way to know what the application's
      # code set.
      def to_s
        facts = to_h.compact
        facts.map { |name, value| "#{name}=#{Array(value).join(" ")}" }.join(",")
      end
    end

    # What `config.prometheus` asks for.
    #
    # - `port`: nil without a port of its own, when only Holdup::Web serves the figures
    # - `bind`: address of that port; `series`: how many label sets at most; `labels`: names of the labels
    # - `pairs`: whether who waited for whom is exported
    PrometheusExport = Data.define(:port, :bind, :series, :labels, :pairs) do
      include Export

      def initialize(port: nil, bind: "127.0.0.1", series: Export::SERIES, labels: Export::DEFAULT_LABELS,
        pairs: false)
        super(port:, bind:, series:, labels: labels.map(&:to_sym), pairs:)
      end
    end

    # What `config.opentelemetry` asks for.
    #
    # - `endpoint`: URL of the receiver; nil: what OTEL_EXPORTER_OTLP_ENDPOINT says, or http://localhost:4318
    # - `interval`: seconds; nil: what OTEL_METRIC_EXPORT_INTERVAL says, or 60
    # - `semconv`: whether durations have the names of the semantic conventions
    OpenTelemetryExport = Data.define(:endpoint, :interval, :semconv, :series, :labels, :pairs) do
      include Export

      def initialize(endpoint: nil, interval: nil, semconv: true, series: Export::SERIES,
        labels: Export::DEFAULT_LABELS, pairs: false)
        super(endpoint:, interval:, semconv:, series:, labels: labels.map(&:to_sym), pairs:)
      end
    end

    # What `config.statsd` asks for.
    #
    # - `address`: udp://host:port or unix:///path; nil: what Datadog's variables say, or udp://127.0.0.1:8125
    # - `format`: :dogstatsd or :statsd; `interval`: seconds
    StatsdExport = Data.define(:address, :format, :interval, :series, :labels, :pairs) do
      include Export

      def initialize(address: nil, format: :dogstatsd, interval: 10, series: Export::SERIES,
        labels: Export::DEFAULT_LABELS, pairs: false)
        super(address:, format:, interval:, series:, labels: labels.map(&:to_sym), pairs:)
      end
    end

    PrometheusExport::KEY = :prometheus
    PrometheusExport::MAIN = :port
    OpenTelemetryExport::KEY = :opentelemetry
    OpenTelemetryExport::MAIN = :endpoint
    StatsdExport::KEY = :statsd
    StatsdExport::MAIN = :address
    EXPORTS = [PrometheusExport, OpenTelemetryExport, StatsdExport].freeze

    module Types
      # Names of labels; in the environment with spaces between.
      Labels = Data.define do
        def parse(text)
          text.split.map(&:to_sym)
        end

        def valid?(given)
          given.is_a?(Array) && given.all? { |label| label.respond_to?(:to_sym) } &&
            (given.map(&:to_sym) - Export::LABELS).empty?
        end
      end

      # A text of a certain form.
      Shaped = Data.define(:shape) do
        def parse(text) = text

        def valid?(given)
          given.is_a?(String) && given.match?(shape)
        end
      end

      # A word, a value of the main option, or a Hash of options: of one exporter.
      ExportOptions = Data.define(:words, :main, :options, :expected) do
        # @param options [Hash{Symbol => Object}] the type of each
        def initialize(words:, main:, options:, expected:)
          common = {series: Whole.new(1..10_000), labels: Labels.new, pairs: Boolean.new}
          super(words:, main:, options: {**options, **common}, expected:)
        end

        def parse(text)
          word = text.downcase
          return word.to_sym if words.map(&:to_s).include?(word)
          return options.fetch(main).parse(text) unless text.match?(/\A\w+=/)
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          read = pairs.to_h { |name, given| [name.to_sym, options[name.to_sym]&.parse(given.to_s)] }
          read unless read.value?(nil) || read.size < pairs.size
        end

        def valid?(value)
          return words.include?(value) || options.fetch(main).valid?(value) unless value.is_a?(Hash)
          value.all? { |name, given| options[name]&.valid?(given) }
        end
      end

      # Where Prometheus gets its figures: a port, only the dashboard, or a Hash.
      PROMETHEUS = ExportOptions.new(
        words: %i[web off],
        main: :port,
        options: {port: Whole.new(1..65_535), bind: Shaped.new(/\A[\w.:-]{1,255}\z/)},
        expected: "a port (9395), :web, :off, or " \
          '{port: 9395, bind: "127.0.0.1", series: 200, labels: %i[app role kind name queue host]} ' \
          "(series: 1 to 10000; further labels: revision, arm; pairs: true or false; " \
          "in the environment 9395, web, off, or port=9395,bind=0.0.0.0,labels=app name)"
      )

      OPEN_TELEMETRY = ExportOptions.new(
        words: %i[on off],
        main: :endpoint,
        options: {endpoint: Shaped.new(%r{\Ahttps?://[^\s,]{1,1000}\z}), interval: Seconds.new(1..3600),
                  semconv: Boolean.new},
        expected: ":on, :off, a URL (\"http://127.0.0.1:4318\"), or " \
          '{endpoint: "http://127.0.0.1:4318", interval: 60, semconv: true, series: 200, ' \
          "labels: %i[app role kind name queue host]} (interval: 1 to 3600 seconds; series: 1 to 10000; " \
          "further labels: revision, arm; pairs: true or false; in the environment on, off, a URL, or " \
          "endpoint=http://127.0.0.1:4318,interval=60)"
      )

      STATSD = ExportOptions.new(
        words: %i[on off],
        main: :address,
        options: {address: Shaped.new(%r{\A(udp://[^\s,/]{1,255}:\d{1,5}|unix:///[^\s,]{1,100})\z}),
                  format: Choice.new(%i[dogstatsd statsd]), interval: Seconds.new(1..3600)},
        expected: ':on, :off, an address ("udp://127.0.0.1:8125", "unix:///run/datadog/dsd.socket"), or ' \
          '{address: "udp://127.0.0.1:8125", format: :dogstatsd, interval: 10, series: 200, ' \
          "labels: %i[app role kind name queue host]} (format: dogstatsd or statsd; interval: 1 to 3600 " \
          "seconds; series: 1 to 10000; further labels: revision, arm; pairs: true or false; in the " \
          "environment on, off, an address, or address=udp://127.0.0.1:8125,format=statsd)"
      )
    end
  end
end
