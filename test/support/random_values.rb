# frozen_string_literal: true

# Durations as real ones are spread, from a seed, so that a failure can be repeated. Every shape that once
# broke a histogram: smooth, two clusters, all alike, at the boundaries, out of range.
class RandomValues
  SHAPES = %i[lognormal clusters alike boundaries extremes].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  # @return [Array<Integer>] nanoseconds
  def take(count, shape = SHAPES.sample(random: @random))
    Array.new(count) { send(shape) }
  end

  private

  def lognormal
    Math.exp(@random.rand(9.0..14.0) + @random.rand(-2.0..2.0)).to_i + 1025
  end

  def clusters
    [2_000_000, 50_000_000].sample(random: @random) + @random.rand(1_000)
  end

  def alike = 10_450_000

  def boundaries
    (1 << @random.rand(11..40)) + @random.rand(-1..1)
  end

  def extremes
    [0, 1, 1024, 1025, 1 << 42, (1 << 42) + 1, 1 << 50].sample(random: @random)
  end
end
