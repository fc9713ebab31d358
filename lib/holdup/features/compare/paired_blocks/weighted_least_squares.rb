# frozen_string_literal: true

module Holdup
  module Compare
    class PairedBlocks
      # A level and slopes by weighted least squares.
      # The standard error is the larger of two: the one for equal variances, and the one for any (HC3):
      # turns on a slow machine differ more, and are few.
      # Source: MacKinnon & White, Some heteroskedasticity-consistent covariance matrix estimators (Journal of
      # Econometrics 29, 1985).
      class WeightedLeastSquares
        # A block that alone decides a slope has no residual.
        LEAST_REST = 0.1
        # The share of a covariate's squares that those before it leave; less is rounding.
        COLLINEAR = 1e-9
        private_constant :LEAST_REST, :COLLINEAR

        attr_reader :level, :freedom, :residuals

        # @return [Array<Integer>] indexes of the covariates that do not follow from those before them
        attr_reader :independent

        # @param values [Array<Float>]
        # @param rows [Array<Array<Float>>] of each covariate, as many as values
        # @param weights [Array<Float>]
        def initialize(values, rows, weights:)
          @weights = weights
          constant = Array.new(values.size, 1.0)
          @independent = independent_of([constant], rows)
          @points = [constant, *rows.values_at(*@independent)].transpose
          @inverse = inverse(products(@points))
          coefficients = multiply(@inverse, products([values]).first)
          @level = coefficients.first
          @residuals = @points.zip(values).map { |point, value| value - dot(point, coefficients) }
          @freedom = values.size - @inverse.size
        end

        # @return [Float] standard error of the level
        def deviation = Math.sqrt([of_equal_variances, of_any_variances].max)

        private

        # What a covariate has beyond all columns before it: Gram and Schmidt's method.
        # @param columns [Array<Array<Float>>] orthogonal ones
        def independent_of(columns, rows)
          rows.each_index.select do |index|
            rest = columns.reduce(rows[index]) { |left, column| without(left, column) }
            centered = without(rows[index], columns.first)
            next unless squares(rest) > COLLINEAR * squares(centered)
            columns << rest
          end
        end

        def without(row, column)
          factor = weighted(row, column) / squares(column)
          row.zip(column).map { |value, other| value - factor * other }
        end

        def squares(row) = weighted(row, row)

        def weighted(one, other)
          @weights.each_with_index.sum { |weight, index| weight * one[index] * other[index] }
        end

        def of_equal_variances = squares(@residuals) / @freedom * @inverse.first.first

        def of_any_variances
          @points.each_with_index.sum do |point, index|
            leverage = @weights[index] * dot(point, multiply(@inverse, point))
            share = @weights[index] * dot(@inverse.first, point)
            (share * @residuals[index] / [1 - leverage, LEAST_REST].max)**2
          end
        end

        # @param values [Array<Array<Float>>] points, or one row of values
        # @return [Array<Array<Float>>] weighted products of all columns with them
        def products(values)
          columns = @points.transpose
          others = values.equal?(@points) ? columns : values
          others.map do |other|
            columns.map { |column| dot(@weights, column.zip(other).map { |one, value| one * value }) }
          end
        end

        def dot(one, other) = one.zip(other).sum { |a, b| a * b }

        def multiply(matrix, vector) = matrix.map { |row| dot(row, vector) }

        # Gauss and Jordan's elimination, with the largest pivot.
        def inverse(matrix)
          rows = matrix.each_with_index.map do |row, index|
            [*row, *Array.new(matrix.size) { |column| (column == index) ? 1.0 : 0.0 }]
          end
          rows.each_index { |column| eliminate(rows, column) }
          rows.map { |row| row.last(matrix.size) }
        end

        def eliminate(rows, column)
          pivot = (column...rows.size).max_by { |index| rows[index][column].abs }
          rows[column], rows[pivot] = rows[pivot], rows[column]
          rows[column] = rows[column].map { |value| value / rows[column][column] }
          rows.each_index do |index|
            next if index == column
            factor = rows[index][column]
            rows[index] = rows[index].zip(rows[column]).map { |value, taken| value - factor * taken }
          end
        end
      end
    end
  end
end
