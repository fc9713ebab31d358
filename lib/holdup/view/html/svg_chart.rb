# frozen_string_literal: true

module Holdup
  module View
    class Html
      # A chart drawn once and for all, for where no script draws it: areas on each other or lines, between
      # the axes' ends, with marks. The same figures are in the table under it.
      class SvgChart
        WIDTH = 1000
        HEIGHT = 160
        KINDS = %i[stack line].freeze
        NS = 1_000_000_000

        # A dot with a name, or without one for what is crossed out.
        Dot = Data.define(:x, :y, :label)

        # A line or an area. `look`: state or number of the line, which its colour hangs on; `d`: an SVG path
        Shape = Data.define(:look, :label, :d)

        # @param chart [Chart, nil]
        # @return [Boolean]
        def self.possible?(chart)
          !chart.nil? && KINDS.include?(chart.kind) && chart.x.values.any?
        end

        # @param title [String]
        # @param chart [Chart] one that is possible
        def initialize(title, chart)
          @chart = chart
          @title = title
        end

        # @return [String]
        attr_reader :title

        # @return [Boolean] whether its areas stand on each other
        def stack? = @chart.kind == :stack

        # @return [Array<Shape>] the lowest first
        def shapes
          stack? ? areas : @chart.series.each_with_index.map { |line, index|
            Shape.new(look: index, label: line.label,
              d: runs(line.values).map { |run| trace(run, line.values) }.join)
          }
        end

        # @return [Array<Dot>]
        def dots
          @chart.points.map { |one| Dot.new(x: x(one.x), y: y(one.y), label: one.label) }
        end

        # @return [Array<Array(Float, String)>] where something changed, and what
        def marks
          @chart.marks.select { |mark| mark.at.between?(*ends) }.map { |mark| [x(mark.at), mark.label] }
        end

        # @return [String] what its upper edge stands for
        def top = told(@chart.unit, most)

        # @return [Array<String>] what its left and right edge stand for
        def sides
          ends.map { |value|
            (@chart.x.unit == :time) ? Time.at(value).strftime("%F %H:%M") : told(@chart.x.unit, value)
          }
        end

        private

        def told(unit, value)
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

        # Stretches in which something is known.
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

        # What is known at one place only is a dot.
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
