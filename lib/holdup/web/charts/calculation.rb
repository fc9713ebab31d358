# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # What each number of threads brings, by the closed model, by Amdahl's law, and at best; and what it
      # stalls.
      class Calculation
        MODELS = {closed: :speed_up, amdahl: :amdahl, bound: :bound}.freeze

        # @param calculator [Sizing::Calculator]
        # @param words [View::Words]
        # @param timed [Boolean] whether the demand is in real time (else stall is told against the unit's
        #   own)
        def initialize(calculator, words:, timed:)
          @calculator = calculator
          @words = words
          @timed = timed
        end

        # @return [PageCharts]
        def call
          PageCharts.new(
            charts: {word(:chart_speed_up) => speed_up, word(:chart_held) => held,
                     word(:chart_stall) => stall}, notes: [word(:chart_enough)]
          )
        end

        private

        def word(key) = @words.call(key)

        def lines = @calculator.lines

        def speed_up
          chart(:rate,
            MODELS.map { |name, figure|
              Chart::Line.new(label: word(:"model_#{name}"),
                values: lines.map(&figure))
            })
        end

        def held
          chart(:share, [Chart::Line.new(label: word(:chart_held), values: lines.map(&:utilisation))],
            most: 1.0)
        end

        def stall
          chart(@timed ? :ns : :share,
            [Chart::Line.new(label: word(:chart_stall), values: lines.map { |line| stalled(line) })])
        end

        def stalled(line)
          @timed ? line.stall_ns : line.stall_ns / @calculator.demand.own_ns
        end

        def chart(unit, series, **options)
          Chart.new(kind: :line, unit:, series:,
            x: Chart::Axis.new(unit: :count, values: lines.map(&:threads)), marks: [Chart::Mark.new(at: @calculator.recommended, label: "")], **options)
        end
      end
    end
  end
end
