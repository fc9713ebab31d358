# frozen_string_literal: true

module Holdup
  module Compare
    # Rows of numbers, one for each block of time. They are added up as often as their block was drawn,
    # hundreds of times for an interval. So they are packed, and the C extension adds them up if available.
    class WeightedRows
      FORMAT = "d*"

      # The Ruby twin of ext/holdup/reader/mass_draws.c: used without the extension, and as its oracle in
      # tests.
      module InRuby
        HEAD = 2

        module_function

        def total(rows, times, columns)
          numbers = rows.unpack(FORMAT)
          sum = Array.new(columns, 0.0)
          times.each do |weight|
            first, row = shift_row(numbers, columns)
            add(sum, first, row, weight)
          end
          sum.pack(FORMAT)
        end

        def mix(sums, weights)
          sums = sums.map { |sum| sum.unpack(FORMAT) }
          mixed = Array.new(sums.first.to_a.size, 0.0)
          sums.zip(weights) do |sum, weight|
            mass = sum.sum
            add(mixed, 0, sum, weight / mass) if mass.positive?
          end
          mixed.pack(FORMAT)
        end

        def find(mix, share)
          masses = mix.unpack(FORMAT)
          left = share * masses.sum
          last = nil
          masses.each_with_index do |mass, column|
            next unless mass.positive?
            return [column, left / mass] if left <= mass
            left -= mass
            last = column
          end
          last && [last, 1.0]
        end

        def shift_row(numbers, columns)
          first, size = numbers.shift(HEAD)
          unless size && first + size <= columns && size <= numbers.size
            raise ArgumentError, "a row is damaged"
          end
          [first.to_i, numbers.shift(size.to_i)]
        end

        def add(sum, first, numbers, weight)
          return if weight.zero?
          numbers.each_with_index { |number, index| sum[first + index] += number * weight }
        end
        private_class_method :shift_row, :add
      end

      ENGINE = defined?(MassDraws) ? MassDraws : InRuby
      private_constant :ENGINE

      # @param rows [Array<(Integer, Array<Numeric>), nil>] first column and the numbers from there on
      def initialize(rows, columns)
        @rows = rows.map { |first, numbers| [first.to_i, numbers.to_a.size, *numbers].pack(FORMAT) }.join
        @columns = columns
        @empty = rows.none? { |row| row&.last&.any? }
      end

      def empty? = @empty

      # @param times [Array<Integer>] for each row
      # @return [String] their sum, packed
      def drawn(times)
        ENGINE.total(@rows, times, @columns)
      end

      # @param sums [Array<String>] from drawn
      # @param weights [Array<Float>] share of the mix that each has, whatever its mass
      # @return [String] packed
      def self.mix(sums, weights)
        ENGINE.mix(sums, weights)
      end

      # @return [Array(Integer, Float), nil] the column that reaches this share, and the share in it
      def self.find(mix, share)
        ENGINE.find(mix, share)
      end

      # A distribution whose values have weights: the buckets of Holdup::Histogram with masses as counts.
      # Its quantiles are interpolated inside a bucket (on the scale of logarithms): with the middles of
      # buckets, a comparison would see either nothing or a step of 4.4 %. Where all values are equal, a
      # quantile may be 2.2 % off.
      class WeightedHistogram
        FLOOR_NS = Histogram::Buckets::FLOOR_NS
        BOUNDS = Histogram::Buckets::BOUNDS
        SIZE = Histogram::Buckets::SLOTS + 1

        def self.of(histogram)
          return new(histogram.offset + 1, histogram.counts) if histogram.zero.zero?
          new(0, [histogram.zero, *Array.new(histogram.offset, 0), *histogram.counts])
        end

        # @param values [Enumerable<(Integer, Float)>] ns and weight
        def self.weighted(values)
          masses = Array.new(SIZE, 0.0)
          values.each do |ns, weight|
            bucket = (ns <= FLOOR_NS) ? 0 : Histogram::Buckets.slot(ns) + 1
            masses[bucket] += weight
          end
          first = masses.index(&:positive?) || 0
          last = masses.rindex(&:positive?) || -1
          new(first, masses[first..last])
        end

        # @param share [Float] of the bucket's mass that lies below
        # @return [Float] ns
        def self.value(bucket, share)
          return FLOOR_NS * share if bucket.zero?
          low = BOUNDS[bucket - 1]
          high = BOUNDS[bucket]
          low * (high.fdiv(low)**share)
        end

        attr_reader :mass

        # @param first [Integer] number of the first bucket with mass; bucket 0 has values up to FLOOR_NS
        def initialize(first, masses)
          @first = first
          @masses = masses
          @mass = masses.sum.to_f
        end

        # @return [Array(Integer, Array<Numeric>)] number of the first bucket, and the masses from there on
        def row = [@first, @masses]

        # @return [Float, nil] ns; nil without any mass
        def quantile(share)
          left = share * @mass
          @masses.each_with_index do |mass, index|
            return self.class.value(@first + index, left / mass) if mass.positive? && left <= mass
            left -= mass
          end
          @mass.positive? ? BOUNDS.last.to_f : nil
        end
      end
    end
  end
end
