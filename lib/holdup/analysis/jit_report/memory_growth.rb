# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # How large processes get with age: the 95th percentile of their resident memory as far as it was seen,
      # and beyond that the growth of the older half of their lives, drawn on.
      class MemoryGrowth
        PERCENTILE = 0.95
        # Shorter stretches say nothing of growth.
        SLOPE_S = 600
        # What a worker should live for at least, to have something of what it compiled.
        WANTED_S = 1800
        WANTED_UNITS = 2000
        # Above what was seen, for what was not.
        MARGIN = 1.1

        # @param lives [Array<ProcessLife>] of one server
        def initialize(lives)
          @lives = lives
        end

        # @return [Boolean] whether anything is known
        def known? = points.any?

        # @return [Integer] seconds: the highest age with a figure
        def seen_s = points.map(&:first).max

        # @param age_s [Integer]
        # @return [Float, nil] bytes that one in twenty exceeds at that age
        def at(age_s)
          near = points.select { |age, _| age <= age_s }
          near = points if near.empty?
          oldest_s = near.map(&:first).max
          seen = percentile(near.select { |age, _| age >= oldest_s / 2 }.map(&:last))
          seen && seen + [age_s - seen_s, 0].max * slope
        end

        # @return [Float] bytes a second in the older half of their lives, never negative; the median
        def slope
          slopes[slopes.size / 2] || 0.0
        end

        # @return [Integer] seconds that a worker should live
        def wanted_s
          rates = @lives.filter_map { |life|
            life.units.fdiv(life.age_s) if life.units&.positive? && life.age_s.positive?
          }
          [WANTED_S, rates.empty? ? 0 : (WANTED_UNITS / rates.sort[rates.size / 2]).ceil].max
        end

        # @return [Symbol] where limit_bytes comes from: :seen at that age, :extrapolated by how they grew, or
        #   :unknown: what they took up to now, because none was there long enough to tell how it grows
        def basis
          return :seen if seen_s >= wanted_s
          slopes.any? ? :extrapolated : :unknown
        end

        # @return [Integer, nil] bytes that the smallest had at first: about what a master has that has loaded
        #   the application
        def first_bytes
          @lives.filter_map { |life| life.trail.points(:rss_bytes).first&.last }.min
        end

        # @return [Integer, nil] bytes that a limit for one process has to leave it
        def limit_bytes
          known? ? (at(wanted_s) * MARGIN).ceil : nil
        end

        private

        def slopes
          @slopes ||= @lives.filter_map { |life| slope_of(life) }.sort
        end

        def points
          @points ||= @lives.flat_map { |life|
            life.trail.points(:rss_bytes).map { |at_s, rss| [at_s - life.born_s, rss] }
          }
        end

        def percentile(values)
          values.sort[((values.size - 1) * PERCENTILE).ceil]
        end

        def slope_of(life)
          found = life.trail.points(:rss_bytes)
          older = found.last([(found.size / 2.0).ceil, 2].max)
          seconds = older.any? ? older.last.first - older.first.first : 0
          [(older.last.last - older.first.last).fdiv(seconds), 0.0].max if seconds >= SLOPE_S
        end
      end
    end
  end
end
