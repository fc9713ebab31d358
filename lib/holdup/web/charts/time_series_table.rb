# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # What the charts over time show, step by step, the newest first.
      class TimeSeriesTable
        # @param course [Analysis::TimeSeries]
        # @param words [View::Words]
        # @param limit [Integer] rows
        # @param names [Array<String>] of which charts, see Course
        def initialize(course, words:, limit:, names: TimeSeriesCharts::NAMES)
          @course = course
          @words = words
          @names = names
          @limit = limit
        end

        # @return [Blocks::Table]
        def call
          Blocks::Table.new(title: word(:over_time),
            columns: [word(:moment), *columns.keys].map { |text| Blocks::Column.new(text:) }, rows:, notes: [word(:over_time_note, step:), *more])
        end

        private

        def rows
          order.first(@limit).map { |index|
            [Moment.new(at_s: @course.at_s[index]),
              *columns.values.map { |tell, values| View::Figures.public_send(tell, values[index]) }]
          }
        end

        def order = @course.at_s.each_index.to_a.reverse

        # Title => how its values are told, and they.
        def columns
          @columns ||= @names.map { |name| TimeSeriesCharts::HEATS[name] ? heat(TimeSeriesCharts::HEATS[name]) : send(name) }.reduce(
            {}, :merge
          )
        end

        def rate
          {word(:rate_column) => [:rate, @course.per_second]}
        end

        # The whole spread is too much for cells; the percentiles of elapsed times have a chart of their own.
        def heat(key)
          return {} if key == :wall
          @course.quantiles(key).except(:p99).to_h { |name, values|
            [word(:percentile_of, percentile: word(name), what: word(:"histogram_#{key}")),
              [:duration, values]]
          }
        end

        def wall
          @course.quantiles(:wall).to_h { |key, values| [word(key), [:duration, values]] }
        end

        def waits
          %i[queued stalled].to_h { |key|
            [word(:mean_of, what: word(:"histogram_#{key}")), [:duration, @course.mean(key)]]
          }
        end

        def shares
          @course.shares.to_h { |state, values|
            [word(:share_of, what: word(:"state_#{state}")), [:share, values]]
          }
        end

        def gvl
          @course.gvl.to_h { |group, values| [word(:gvl_of, group:), [:share, values]] }
        end

        def step
          View::Figures.duration(@course.step_s * Analysis::TimeSeries::NS)
        end

        def more
          hidden = @course.at_s.size - @limit
          hidden.positive? ? [word(:more_rows_here, count: View::Figures.count(hidden))] : []
        end

        def word(key, **facts) = @words.call(key, **facts)
      end
    end
  end
end
