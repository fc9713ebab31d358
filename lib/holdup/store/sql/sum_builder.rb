# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # One sum as it comes from the database piece by piece. Its histograms stay as they are written, one
      # behind the other, until all pieces are there: to read what is written is most of the work, and then it
      # is done once.
      class SumBuilder
        KEYS = %i[series_id setting_id].freeze
        LEAST = %i[min_start_s min_host_id].freeze
        MOST = %i[max_start_s max_host_id end_s].freeze

        # @return [Hash{Symbol => Object}] as one row, with `end_s` and `covered_s`
        attr_reader :row

        # @param row [Hash{Symbol => Object}] of Sums
        # @param seconds [Integer] of its windows
        # @return [void]
        def add(row, seconds)
          row.update(end_s: row[:max_start_s] + seconds, covered_s: row[:windows] * seconds)
          @row = @row ? @row.merge!(row) { |name, one, other| both(name, one, other) } : row
        end

        private

        def both(name, one, other)
          case name
          when *KEYS then one
          when *LEAST then [one, other].min
          when *MOST then [one, other].max
          else one + other
          end
        end
      end
    end
  end
end
