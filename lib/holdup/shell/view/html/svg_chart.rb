# frozen_string_literal: true

module Holdup
  module View
    class Html
      # A chart drawn on the server, for readers without scripts: stacked areas or lines between labelled axis
      # ends, with marks. The table under it has the same figures.
      class SvgChart
        WIDTH = 1000
        HEIGHT = 160
        KINDS = %i[stack line].freeze
        # Where the label of the rightmost dot begins, and that of the highest.
        LAST_LABEL_X = 850
        FIRST_LABEL_Y = 14

        # `label`: nil for a crossed-out point.
        Dot = Data.define(:x, :y, :label) do
          # @return [Float] beside the dot, but inside the drawing
          def label_x = [x + 10, LAST_LABEL_X].min

          def label_y = [y - 8, FIRST_LABEL_Y].max

          # @return [String] an SVG path
          def cross = "M#{x - 5} #{y - 5}l10 10m0-10l-10 10"
        end

        # A line or an area. `look`: state or number of the line, which selects its colour; `d`: an SVG path
        Shape = Data.define(:look, :label, :d) do
          # @return [String] CSS class of a line, in the drawing and in its legend
          def line_class = "line line-#{look % Chart::LINES}"

          # @return [String] CSS class of an area
          def area_class = "s-#{look}"
        end

        def self.possible?(chart)
          !chart.nil? && KINDS.include?(chart.kind) && chart.x.values.any?
        end

        # @param chart [Chart] for which possible? holds
        def initialize(title, chart)
          @chart = chart
          @title = title
        end

        attr_reader :title

        # @return [Boolean] whether its areas are stacked
        def stack? = @chart.kind == :stack

        # @return [Array<Shape>] the lowest first
        def shapes
          stack? ? areas : @chart.series.each_with_index.map { |line, index|
            Shape.new(look: index, label: line.label,
              d: runs(line.values).map { |run| trace(run, line.values) }.join)
          }
        end

        # @return [String] CSS class
        def class_of(shape)
          stack? ? shape.area_class : shape.line_class
        end

        def dots
          @chart.points.map { |one| Dot.new(x: x(one.x), y: y(one.y), label: one.label) }
        end

        # @return [Array<Array(Float, String)>] position of each change, and its text
        def marks
          @chart.marks.select { |mark| mark.at.between?(*ends) }.map { |mark| [x(mark.at), mark.label] }
        end

        # @return [String] value of its upper edge
        def top = formatted(@chart.unit, most)

        # @return [Array<String>] values of its left and right edge
        def sides
          ends.map { |value|
            (@chart.x.unit == :time) ? Time.at(value).strftime("%F %H:%M") : formatted(@chart.x.unit, value)
          }
        end

        private

        def formatted(unit, value)
          Figures.public_send({ns: :duration}.fetch(unit, unit), value)
        end

        def ends = @ends ||= @chart.x.values.minmax

        def most
          @most ||= @chart.most ||
            [*@chart.series.flat_map(&:values).compact, *@chart.limits.map(&:at), Float::MIN].max
        end

        def x(value)
          low, high, here = [*ends, value].map { |one| @chart.x.log ? Math.log(one) : one.to_f }
          ((high == low) ? 0.0 : (here - low) * WIDTH / (high - low)).round(1)
        end

        def y(value)
          (HEIGHT * (1 - [value / most.to_f, 1].min)).round(1)
        end

        def point(at, value)
          "#{x(@chart.x.values[at])} #{y(value)}"
        end

        # Intervals with known values.
        def runs(values)
          values.each_index.chunk_while { |one, other| values[one].nil? == values[other].nil? }.select { |run|
            values[run.first]
          }
        end

        def areas
          floor = Array.new(@chart.x.values.size, 0.0)
          @chart.series.map do |line|
            ceiling = floor.zip(line.values).map { |below, value| value && below + value }
            area = Shape.new(look: line.state, label: line.label,
              d: runs(ceiling).map { |run| closed(run, ceiling, floor) }.join)
            floor = ceiling.zip(floor).map { |above, below| above || below }
            area
          end
        end

        # A value with unknown neighbours becomes a dot.
        def trace(run, values)
          "M#{run.map { |at| point(at, values[at]) }.join("L")}#{"h0" if run.one?}"
        end

        def closed(run, ceiling, floor)
          "M#{[*run.map { |at| point(at, ceiling[at]) },
            *run.reverse.map { |at| point(at, floor[at]) }].join("L")}Z"
        end
      end
    end
  end
end
