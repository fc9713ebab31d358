# frozen_string_literal: true

require "json"

module Holdup
  module View
    # What a chart is drawn from, as assets/src/plot.js takes it.
    #
    # - `kind`: :stack, :line or :heat; `unit` of its values: :ns, :share, :rate, :count, :bytes
    # - `x`: Axis; `series`: Array of Line, each with a value or nil for each of x
    # - `limits`: Array of Mark across it, `marks`: Array of Mark down it; `most`: where its scale ends, nil
    #   for what it takes
    # - `points`: Array of Point, on its lines; `heat`: of that kind, see Analysis::TimeSeries#heat
    Chart = Data.define(:kind, :unit, :x, :series, :limits, :marks, :points, :most, :heat) do
      def initialize(kind:, unit:, x:, series:, limits: [], marks: [], points: [], most: nil, heat: nil)
        super
      end

      # @return [String]
      def to_json(*)
        {**to_h, x: x.to_h, series: series.map(&:facts), limits: limits.map(&:to_h), marks: marks.map(&:to_h),
         points: points.map { |point| point.to_h.compact }}.compact.to_json(*)
      end
    end

    # Six are more than a screen has dots.
    Chart::DIGITS = 6

    # `unit` :time has seconds since 1970; others are those of values. `log`: whether it multiplies.
    Chart::Axis = Data.define(:unit, :values, :log) do
      def initialize(unit:, values:, log: false) = super
    end

    # `state`: a member of Analysis::SeriesRow::StateSplit, for its colour and pattern; `unit`: another than the chart's.
    Chart::Line = Data.define(:label, :values, :state, :unit) do
      def initialize(label:, values:, state: nil, unit: nil)
        super
      end

      # @return [Hash{Symbol => Object}]
      def facts
        rounded = values.map { |value| value.is_a?(Float) ? value.round(Chart::DIGITS) : value }
        {label:, values: rounded, state:, unit:}.compact
      end
    end

    # `label`: nil for one that is only crossed out.
    Chart::Point = Data.define(:x, :y, :label) do
      def initialize(x:, y:, label: nil) = super
    end

    Chart::Mark = Data.define(:at, :label)
  end
end
