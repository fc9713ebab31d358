# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # Figures over time as charts. {TimeSeriesTable} has the same ones as a table.
      class TimeSeriesCharts
        NAMES = %w[shares rate wall waits].freeze
        # How times are spread, step by step.
        HEATS = %i[wall queued stalled running idle].to_h { |key| ["heat_#{key}", key] }.freeze
        # Above this waits grow faster than what is won: the limit that advice has.
        BUSY = Sizing::Guards::BUSY
        ALL = 1.0

        # @param course [Analysis::TimeSeries]
        # @param words [View::Words]
        # @param names [Array<String>] which charts: of NAMES and HEATS, and "gvl", which is of all that ran
        # @param marks [Array<Chart::Mark>] moments at which something changed
        def initialize(course, words:, names: NAMES, marks: [])
          @course = course
          @words = words
          @names = names
          @marks = marks
        end

        # @return [Hash{String => String}] title of each, by name
        def titles
          @names.to_h { |name|
            [name,
              HEATS[name] ? word(:chart_heat,
                what: word(:"histogram_#{HEATS[name]}")) : word(:"chart_#{name}")]
          }
        end

        # @return [Hash{String => Chart}]
        def to_h
          @names.to_h { |name| [name, HEATS[name] ? heat(HEATS[name]) : send(name)] }
        end

        private

        def shares
          chart(:share,
            @course.shares.map { |state, values| Chart::Line.new(label: word(:"state_#{state}"), values:, state:) }, kind: :stack, most: ALL)
        end

        def rate
          chart(:rate, [Chart::Line.new(label: word(:rate_column), values: @course.per_second)])
        end

        def wall
          chart(:ns,
            @course.quantiles(:wall).map { |key, values| Chart::Line.new(label: word(key), values:) })
        end

        # Means: only these add up to what a unit waited in all.
        def waits
          chart(:ns,
            %i[queued
              stalled].map { |key|
              Chart::Line.new(label: word(:"histogram_#{key}"),
                values: @course.mean(key))
            })
        end

        # The lines are only told.
        def heat(key)
          heat = @course.heat(key)
          most = heat[:counts].map { |counts|
            heat[:upto_ns][counts.each_index.max_by { |band| counts[band] }] if counts.sum.positive?
          }
          units = heat[:counts].each_with_index.map { |counts, index| counts.sum if @course.measured?(index) }
          chart(:ns,
            [Chart::Line.new(label: word(:units), values: units, unit: :count), Chart::Line.new(label: word(:chart_most), values: most)], kind: :heat, heat:)
        end

        def gvl
          chart(:share, @course.gvl.map { |group, values| Chart::Line.new(label: group, values:) },
            most: ALL, limits: [Chart::Mark.new(at: BUSY, label: word(:chart_steep))])
        end

        def chart(unit, series, kind: :line, **options)
          Chart.new(kind:, unit:, series:, x: Chart::Axis.new(unit: :time, values: @course.at_s),
            marks: @marks, **options)
        end

        def word(key, **facts) = @words.call(key, **facts)
      end
    end
  end
end
