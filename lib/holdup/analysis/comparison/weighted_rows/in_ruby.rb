# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      class WeightedRows
      end

      # What ext/holdup/mass_draws.h does, for Rubies without the extension, and to hold that against.
      module WeightedRows::InRuby
        HEAD = 2

        module_function

        # @see Masses#drawn
        def total(rows, times, columns)
          numbers = rows.unpack("d*")
          times.each_with_object(Array.new(columns,
            0.0)) { |weight, sum| add(sum, *row(numbers, columns), weight) }.pack("d*")
        end

        # @see Masses.mix
        def mix(sums, weights)
          sums = sums.map { |sum| sum.unpack("d*") }
          sums.zip(weights).each_with_object(Array.new(sums.first.to_a.size, 0.0)) { |(sum, weight), mix|
            mass = sum.sum
            add(mix, 0, sum, weight / mass) if mass.positive?
          }.pack("d*")
        end

        # @see Masses.find
        def find(mix, share)
          masses = mix.unpack("d*")
          left = share * masses.sum
          filled = masses.each_index.select { |column| masses[column].positive? }
          column = filled.find { |at| (left <= masses[at]) || !(left -= masses[at]) }
          column ? [column, left / masses[column]] : filled.last&.then { |last| [last, 1.0] }
        end

        # Takes one row off.
        def row(numbers, columns)
          first, size = numbers.shift(HEAD)
          unless size && first + size <= columns && size <= numbers.size
            raise ArgumentError, "a row is damaged"
          end
          [first.to_i, numbers.shift(size.to_i)]
        end

        def add(sum, first, numbers, weight)
          unless weight.zero?
            numbers.each_with_index { |number, index| sum[first + index] += number * weight }
          end
        end
        private_class_method :row, :add
      end
    end
  end
end
