# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # How strongly a time of units follows the slowness of their machine: 1.0: a machine that is 10 % slower
      # makes it 10 % longer; 0.0: not at all.
      #
      # Growth with the units in flight competes with it as an explanation, because the load of a machine may
      # slow it down: both are estimated together (two-stage least squares; the number of units when one began
      # is the instrument for the number while it ran, as in CoherencyEstimator). The estimate and what is
      # likely before any recording are weighted by their certainty, so few data give an exponent near 0.
      #
      # - `value`: 0.0 to 1.5; `deviation`: its standard deviation
      SpeedEffect::SpeedExponent = Data.define(:value, :deviation)

      class SpeedEffect::SpeedExponent
        # Units of a piece of time err together. Fewer pieces show no effect.
        PIECES = 30
        FEWEST_PIECES = 4

        # @param slowness [SpeedEffect::HostSlowness]
        # @param field [Symbol] of the time: :running_ns or :idle_ns
        def self.of(unit_samples, slowness, field)
          known = unit_samples.select { |unit| unit.concurrency && unit.public_send(field).positive? }
          pieces = pieces(known)
          enough = known.size >= CoherencyEstimator::FEWEST && pieces.uniq.size >= FEWEST_PIECES
          enough ? JointEstimate.new(known, pieces, slowness, field).exponent : self::NONE
        end

        # @return [Array<Integer>] of each unit: minutes, or longer ones of a long recording
        def self.pieces(unit_samples)
          first_s, last_s = unit_samples.map { |unit| unit.start_ns / NS }.minmax
          length_s = [(last_s.to_i - first_s.to_i + 1).fdiv(PIECES), MINUTE_S].max
          unit_samples.map { |unit| ((unit.start_ns / NS - first_s) / length_s).floor }
        end
        private_class_method :pieces
      end

      SpeedEffect::SpeedExponent::NONE = SpeedEffect::SpeedExponent.new(value: 0.0, deviation: 0.0)

      # Least squares of the logarithms of units' times on the slowness of their machine and on the doublings
      # of units in flight, of units of one series and host.
      class SpeedEffect::SpeedExponent::JointEstimate
        # No times follow the machine more strongly.
        HIGHEST = 1.5
        # Before any recording: standard deviations of the exponent, and of growth by each doubling.
        LIKELY = [1.0, 0.2].freeze
        # Variance below which something does not vary.
        CONSTANT = 1e-9

        # @param pieces [Array<Integer>] of time, of each unit
        def initialize(unit_samples, pieces, slowness, field)
          @weights = unit_samples.map(&:weight)
          @pieces = pieces
          numbers = {}
          groups = unit_samples.map { |unit| numbers[[unit.series, unit.host]] ||= numbers.size }
          centred = ->(values) { centred(values, groups) }
          @slow = centred.call(unit_samples.map { |unit| slowness.at(unit.host, unit.start_ns) })
          @flight = centred.call(unit_samples.map { |unit| CoherencyCost.doublings(unit.in_flight) })
          @before = centred.call(unit_samples.map { |unit| CoherencyCost.doublings(1 + unit.concurrency) })
          @times = centred.call(unit_samples.map { |unit| Math.log(unit.public_send(field)) })
        end

        def exponent
          return SpeedEffect::SpeedExponent::NONE if sum(@slow, @slow) <= CONSTANT * total
          value, variance = varied? ? jointly : alone
          SpeedEffect::SpeedExponent.new(value: value.clamp(0.0, HIGHEST), deviation: Math.sqrt(variance))
        end

        private

        # Whether the number in flight varies apart from the machine's speed.
        def varied?
          both = sum(@slow, @before)
          apart = sum(@before, @before) - both**2 / sum(@slow, @slow)
          apart > CONSTANT * total
        end

        def alone
          square = sum(@slow, @slow)
          found = sum(@slow, @times) / square
          errors = scores([@slow], residuals(found, 0.0)).sum { |score,| score**2 } * excess(1)
          certainty = square**2 / [errors, Float::MIN].max
          variance = 1 / (certainty + 1 / LIKELY.first**2)
          [certainty * found * variance, variance]
        end

        # The likely values are 0 for both, so what is found counts by its certainty.
        def jointly
          columns = [@slow, in_flight]
          normal = Matrix2.of(columns.product(columns).map { |one, other| sum(one, other) })
          products = columns.map { |column| sum(column, @times) }
          found = normal.ridged(total * CONSTANT).inverse.times(products)
          each = scores(columns, residuals(*found))
          meat = Matrix2.of([0, 1].product([0, 1]).map { |one, other| each.sum { |s| s[one] * s[other] } })
          certainty = normal * meat.scaled(excess(2)).ridged(Float::MIN).inverse * normal
          variances = certainty.plus_diagonal(LIKELY.map { |one| 1 / one**2 }).inverse
          [variances.times(certainty.times(found)).first, variances.first]
        end

        # What the number when a unit began, and the slowness, say about the number while it ran.
        def in_flight
          @in_flight ||= begin
            columns = [@before, @slow]
            normal = Matrix2.of(columns.product(columns).map { |one, other| sum(one, other) })
            by_before, by_slow = normal.inverse.times(columns.map { |column| sum(column, @flight) })
            @before.zip(@slow).map { |before, slow| by_before * before + by_slow * slow }
          end
        end

        def residuals(exponent, growth)
          Array.new(@times.size) do |index|
            @times[index] - exponent * @slow[index] - growth * @flight[index]
          end
        end

        # @return [Array<Array<Float>>] of each piece of time: sums of each column with the residuals
        def scores(columns, residuals)
          found = columns.map do |column|
            sums = Hash.new(0.0)
            residuals.each_with_index do |left, index|
              sums[@pieces[index]] += @weights[index] * column[index] * left
            end
            sums.values
          end
          found.transpose
        end

        # Few pieces of time seem to agree by chance: Student's t against the normal distribution.
        def excess(parameters)
          pieces = @pieces.uniq.size
          interval = CoherencyEstimator::ScoreTest::BlockStatistics::ScoreInterval
          degrees = [pieces - parameters, 1].max
          pieces.fdiv(degrees) * (interval.student(degrees) / interval::Z)**2
        end

        def total = @weights.sum

        def sum(one, other)
          @weights.each_index.sum(0.0) { |index| @weights[index] * one[index] * other[index] }
        end

        def centred(values, groups)
          sums = Array.new(groups.max + 1, 0.0)
          totals = sums.dup
          groups.each_with_index do |group, index|
            sums[group] += @weights[index] * values[index]
            totals[group] += @weights[index]
          end
          Array.new(values.size) { |index| values[index] - sums[groups[index]] / totals[groups[index]] }
        end

        # Two rows of two numbers.
        Matrix2 = Data.define(:a, :b, :c, :d) do
          def self.of(numbers) = new(*numbers)

          def first = a

          def inverse
            determinant = a * d - b * c
            with(a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant)
          end

          def times(vector)
            x, y = vector
            [a * x + b * y, c * x + d * y]
          end

          def *(other)
            with(a: a * other.a + b * other.c, b: a * other.b + b * other.d,
              c: c * other.a + d * other.c, d: c * other.b + d * other.d)
          end

          def scaled(factor) = with(a: a * factor, b: b * factor, c: c * factor, d: d * factor)

          def plus_diagonal((first, last)) = with(a: a + first, d: d + last)

          def ridged(least) = plus_diagonal([least, least])
        end
        private_constant :Matrix2
      end
    end
  end
end
