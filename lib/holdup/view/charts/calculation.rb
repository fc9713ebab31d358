# frozen_string_literal: true

module Holdup
  module View
    module Charts
      # Throughput for each number of threads: the closed model, Amdahl's law and the upper bound; and the
      # stall.
      class Calculation
        MODELS = {closed: :speed_up, amdahl: :amdahl, bound: :bound}.freeze

        # @param timed [Boolean] whether the demand is in real time (otherwise stall is a share of the unit's
        #   own)
        def initialize(calculator, words:, timed:)
          @calculator = calculator
          @words = words
          @timed = timed
        end

        def call
          charts = {word(:chart_speed_up) => speed_up, word(:chart_held) => held, word(:chart_stall) => stall}
          Blocks::InlineCharts.new(charts:, notes: [word(:chart_enough)], plotted: word(:chart_speed_up))
        end

        private

        def word(key) = @words.call(key)

        def lines = @calculator.lines

        def speed_up
          series = MODELS.map do |name, figure|
            Chart::Line.new(label: word(:"model_#{name}"), values: lines.map(&figure))
          end
          chart(:rate, series)
        end

        def held
          line = Chart::Line.new(label: word(:chart_held), values: lines.map(&:utilisation))
          chart(:share, [line], most: 1.0)
        end

        def stall
          values = lines.map { |line| @timed ? line.stall_ns : line.stall_ns / @calculator.demand.own_ns }
          chart(@timed ? :ns : :share, [Chart::Line.new(label: word(:chart_stall), values:)])
        end

        def chart(unit, series, **options)
          x = Chart::Axis.new(unit: :count, values: lines.map(&:threads))
          marks = [Chart::Mark.new(at: @calculator.recommended, label: "")]
          Chart.new(kind: :line, unit:, series:, x:, marks:, **options)
        end
      end
    end
  end
end
