# frozen_string_literal: true

require "json"

module Holdup
  module View
    # Data of a chart in the form that assets/src/plot.js takes.
    #
    # - `kind`: :stack, :line or :heat; `unit` of its values: :ns, :share, :rate, :count, :bytes
    # - `x`: Axis; `series`: Array of Line, each with a value or nil for each x
    # - `limits`: Array of Mark, horizontal; `marks`: Array of Mark, vertical; `most`: upper end of the scale,
    #   nil to fit the values; `height`: pixels in a browser, nil for the usual; `bare`: whether the chart
    #   below it has the labels of x
    # - `points`: Array of Point on its lines; `heat`: for that kind, see Analysis::TimeSeries#heat, and what
    #   is counted (`label`)
    Chart = Data.define(:kind, :unit, :x, :series, :limits, :marks, :points, :most, :heat,
      :height, :bare) do
      def initialize(kind:, unit:, x:, series:, limits: [], marks: [], points: [], most: nil, heat: nil,
        height: nil, bare: nil)
        super
      end

      def to_json(*)
        {**to_h, x: x.to_h, series: series.map(&:facts), limits: limits.map(&:facts),
         marks: marks.map(&:facts), points: points.map { |point| point.to_h.compact }}.compact.to_json(*)
      end
    end

    # The View::Figures method that formats a value in a title, by unit.
    Chart::FORMATS = {ns: :duration, share: :rounded_share, rate: :rate, count: :count, bytes: :bytes}.freeze

    # Lines that stay distinguishable, by colour and dashes.
    Chart::LINES = 6

    # Colours of names in a stack. Those of states never stand for a name.
    Chart::NAMES = %i[name-1 name-2 name-3 name-4 name-5].freeze

    # Significant digits: more than a screen can resolve.
    Chart::DIGITS = 6

    # `unit` :time means seconds since 1970; the other units are those of values. `log`: logarithmic.
    Chart::Axis = Data.define(:unit, :values, :log) do
      def initialize(unit:, values:, log: false) = super
    end

    # `state`: a member of Analysis::SeriesRow::StateSplit, for colour and pattern, or one of NAMES, :others
    # or :nobody, which have colours of their own; `unit`: if other than the chart's.
    Chart::Line = Data.define(:label, :values, :state, :unit) do
      def initialize(label:, values:, state: nil, unit: nil)
        super
      end

      def facts
        rounded = values.map { |value| value.is_a?(Float) ? value.round(Chart::DIGITS) : value }
        {label:, values: rounded, state:, unit:}.compact
      end
    end

    # `label`: nil for a point that is only crossed out.
    Chart::Point = Data.define(:x, :y, :label) do
      def initialize(x:, y:, label: nil) = super
    end

    # `page`: what a click leads to, nil: nothing of its own; `around`: whether that compares what was before
    # the mark and after it, instead of showing its minute
    Chart::Mark = Data.define(:at, :label, :page, :around) do
      def initialize(at:, label:, page: nil, around: false) = super

      def facts = {at:, label:, page:, around: around || nil}.compact
    end
  end
end
