# frozen_string_literal: true

module Holdup
  module View
    # A split as a row of characters. Each state has its own, so the bar reads the same without colours, in a
    # log file and in an East-Asian terminal (where block characters may take two columns).
    module Bar
      SYMBOLS = {cpu: "#", starved: "!", stalled: "x", io: "~", lock: "=", sleep: "z", native: "+"}.freeze
      COLORS = {cpu: :green, starved: :yellow, stalled: :red, io: :blue, lock: :magenta, sleep: :dim,
                native: :cyan}.freeze
      RUN = /(#+)|(!+)|(x+)|(~+)|(=+)|(z+)|(\++)/

      module_function

      # @return [String] exactly `columns` characters; spaces if nothing is measured
      def draw(split, columns)
        return " " * columns if split.total.zero?
        fill(SYMBOLS.to_h { |state, _| [state, split.share(state)] }, columns)
      end

      # @param shares [Hash{Symbol => Float}] of all states
      # @return [String] exactly `columns` characters, largest remainders first; spaces without any share
      def fill(shares, columns)
        return " " * columns if shares.values.sum.zero?
        cells = SYMBOLS.to_h { |state, _| [state, shares.fetch(state) * columns] }
        whole = cells.transform_values(&:floor)
        cells.keys.max_by(columns - whole.values.sum) { |state| cells[state] % 1 }.each { |state|
          whole[state] += 1
        }
        whole.map { |state, count| SYMBOLS[state] * count }.join
      end

      # @param bar [String] from draw
      def paint(bar, style)
        bar.gsub(RUN) { |run| style.paint(run, COLORS.fetch(SYMBOLS.key(run[0]))) }
      end
    end
  end
end
