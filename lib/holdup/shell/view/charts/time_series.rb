# frozen_string_literal: true

module Holdup
  module View
    module Charts
      # Figures over time as charts. {Table} shows the same figures.
      class TimeSeries
        NAMES = %w[shares rate wall waits].freeze
        # Distributions of times per step.
        HEATS = %i[wall queued stalled running idle].to_h { |key| ["heat_#{key}", key] }.freeze
        ALL = 1.0

        # The chart of methods that stall others is not read unless asked for.
        METHODS = "method_stall"

        # @param names [Array<String>] charts: of NAMES and HEATS, METHODS, and "gvl", which covers everything
        #   that ran
        # @param marks [Array<Chart::Mark>] what happened meanwhile
        def initialize(series, words:, names: NAMES, marks: [])
          @series = series
          @words = words
          @names = names
          @marks = marks
        end

        # @return [Hash{String => String}] title of each, by name
        def titles
          @names.to_h { |name| [name, found(name, subject(name))] }
        end

        # @return [Hash{String => Chart}]
        def to_h
          @names.to_h { |name| [name, HEATS[name] ? heat(HEATS[name]) : send(name)] }
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def subject(name)
          key = HEATS[name]
          key ? word(:chart_heat, what: word(:"histogram_#{key}")) : word(:"chart_#{name}")
        end

        def found(name, title)
          figure, line, values = main_line(name)
          values = @series.complete(values || [])
          found = LatestAndPeak.of(values, @series.at_s)
          found ? found.title(title, line:, figure:, words: @words) : title
        end

        # @return [Array(Symbol, String, Array<Numeric, nil>), nil] the View::Figures method that formats its
        #   values, its name or nil, its values
        def main_line(name)
          key = HEATS[name]
          return [:duration, word(:p95), @series.quantile(key, :p95)] if key
          case name
          when "shares" then [:rounded_share, word(:state_stalled), @series.shares[:stalled]]
          when "rate" then [:rate, nil, @series.per_second]
          when "wall" then [:duration, word(:p95), @series.quantile(:wall, :p95)]
          when "waits" then [:duration, word(:histogram_stalled), @series.mean(:stalled)]
          when "gvl" then most(:rounded_share, @series.gvl)
          when METHODS then most(:duration, @series.method_stalls)
          end
        end

        def most(figure, lines)
          name, values = lines.max_by { |_, line| line.compact.max || 0 }
          name && [figure, Width.clean(name), values]
        end

        def shares
          lines = @series.shares.map do |state, values|
            Chart::Line.new(label: word(:"state_#{state}"), values:, state:)
          end
          chart(:share, lines, kind: :stack, most: ALL)
        end

        def rate
          chart(:rate, [Chart::Line.new(label: word(:rate_column), values: @series.per_second)])
        end

        def wall
          lines = @series.quantiles(:wall).map { |key, values| Chart::Line.new(label: word(key), values:) }
          chart(:ns, lines)
        end

        # Means, because only means add up to a unit's total wait.
        def waits
          lines = %i[queued stalled].map do |key|
            Chart::Line.new(label: word(:"histogram_#{key}"), values: @series.mean(key))
          end
          chart(:ns, lines)
        end

        def method_stall
          lines = @series.method_stalls.map do |name, values|
            Chart::Line.new(label: Width.clean(name), values:)
          end
          chart(:ns, lines)
        end

        # Its lines are not drawn: a script describes them.
        def heat(key)
          heat = {**@series.heat(key), label: word(:chart_cell)}
          units = heat[:counts].each_with_index.map do |counts, index|
            counts.sum if @series.measured?(index)
          end
          lines = [Chart::Line.new(label: word(:units), values: units, unit: :count),
            Chart::Line.new(label: word(:chart_most), values: fullest_bands(heat))]
          chart(:ns, lines, kind: :heat, heat:)
        end

        def fullest_bands(heat)
          heat[:counts].map do |counts|
            fullest = counts.each_index.max_by { |band| counts[band] }
            heat[:upto_ns][fullest] if counts.sum.positive?
          end
        end

        def gvl
          lines = @series.gvl.map { |group, values| Chart::Line.new(label: group, values:) }
          steep = Chart::Mark.new(at: Analysis::Thresholds::FULL, label: word(:chart_steep))
          chart(:share, lines, most: ALL, limits: [steep])
        end

        # A distribution shows how many requests and jobs a step has.
        def chart(unit, series, kind: :line, **options)
          series = series.map { |line| line.with(values: @series.without_partial_end(line.values)) }
          Chart.new(kind:, unit:, series:, x: Chart::Axis.new(unit: :time, values: @series.at_s),
            marks: @marks, **options)
        end

        # What a title says of a line: its latest value and its peak. `latest`, `peak`: LinePoint; `ended`:
        # whether the line has no value for the last steps
        LatestAndPeak = Data.define(:latest, :peak, :ended)

        class LatestAndPeak
          LinePoint = Data.define(:x, :value)
          private_constant :LinePoint
          # The last steps may still be incomplete.
          LATE = 2

          # @param values [Array<Numeric, nil>] one for each x
          # @param last [Integer, nil] index of the last x that any line has a value for
          # @return [LatestAndPeak, nil] nil without values
          def self.of(values, xs, last: nil)
            known = values.each_index.select { |index| values[index] }
            return if known.empty?
            latest, peak = [known.last, known.max_by { |index| values[index] }].map do |index|
              LinePoint.new(x: xs[index], value: values[index])
            end
            new(latest:, peak:, ended: (last || xs.size - 1) - known.last > LATE)
          end

          # @param chart [Chart] the title is about its highest line
          # @return [String] what the chart shows, and what is found in it
          def self.titled(title, chart, words:)
            line = chart.series.max_by { |one| one.values.compact.max || 0 } or return title
            last = chart.series.filter_map { |one| one.values.rindex { |value| value } }.max
            found = of(line.values, chart.x.values, last:)
            return title unless found
            found.title(title, line: line.label, figure: Chart::FORMATS.fetch(chart.unit), words:,
              unit: chart.x.unit)
          end

          # @param line [String, nil] its name
          # @param figure [Symbol] the View::Figures method that formats its values
          # @param unit [Symbol] of x: :time, or :ns for an age
          def title(title, line:, figure:, words:, unit: :time)
            now, most = [latest, peak].map { |point| Figures.public_send(figure, point.value) }
            at, till = [peak, latest].map { |point| moment(point.x, unit, words) }
            key = (now == most) ? :steady : :peak
            key = :"ended_#{key}" if ended
            words.call(:"chart_found_#{key}", title:, line:, now:, peak: most, at:, until: till)
          end

          private

          def moment(value, unit, words)
            return Figures::Moments.at(value) if unit == :time
            return words.call(:chart_at_start) if value.zero?
            words.call(:chart_at_age, age: Figures.rough(value))
          end
        end

        # The figures of the charts over time per step, newest first.
        class Table
          # @param limit [Integer] rows
          # @param params [Hash{String => String}, nil] parameters of the page of a step's requests and jobs;
          #   nil: a step leads nowhere
          def initialize(series, words:, limit:, names: NAMES, params: nil)
            @params = params
            @steps = series.at_s.size
            @series = series.newest(limit)
            @words = words
            @names = names
            @limit = limit
          end

          def call
            Section.new(title: word(:over_time), columns: [word(:moment), *columns.map(&:title)], rows:,
              notes: [word(:over_time_note, step:), *more])
          end

          # `figure`: the View::Figures method that formats the values
          Column = Data.define(:title, :figure, :values)
          private_constant :Column

          private

          def word(key, **facts) = @words.call(key, **facts)

          def rows
            @series.at_s.each_index.reverse_each.map do |index|
              figures = columns.map { |column| Figures.public_send(column.figure, column.values[index]) }
              [moment(@series.at_s[index]), *figures]
            end
          end

          def moment(at_s)
            @params ? Blocks::Moment.step(at_s, @series.step_s, @params) : Blocks::Moment.new(at_s:)
          end

          def columns
            @columns ||= @names.flat_map { |name| HEATS[name] ? heat(HEATS[name]) : send(name) }
          end

          def rate
            [Column.new(word(:rate_column), :rate, @series.per_second)]
          end

          # Cells of a distribution show percentiles; elapsed times have a chart of their own.
          def heat(key)
            return [] if key == :wall
            what = word(:"histogram_#{key}")
            @series.quantiles(key).except(:p99).map do |name, values|
              Column.new(word(:percentile_of, percentile: word(name), what:), :duration, values)
            end
          end

          def wall
            @series.quantiles(:wall).map { |key, values| Column.new(word(key), :duration, values) }
          end

          def waits
            %i[queued stalled].map do |key|
              Column.new(word(:mean_of, what: word(:"histogram_#{key}")), :duration, @series.mean(key))
            end
          end

          def shares
            @series.shares.map do |state, values|
              Column.new(word(:share_of, what: word(:"state_#{state}")), :share, values)
            end
          end

          def method_stall
            @series.method_stalls.map do |name, values|
              Column.new(word(:caused_by_method, method: Width.clean(name)), :duration, values)
            end
          end

          def gvl
            @series.gvl.map { |group, values| Column.new(word(:gvl_of, group:), :share, values) }
          end

          def step
            Figures.rough(@series.step_s * NS)
          end

          def more
            hidden = @steps - @limit
            hidden.positive? ? [word(:more_rows_here, count: Figures.count(hidden))] : []
          end
        end

        # Changes of settings in words, and as a table.
        class Changes
          # @param span [Array(Integer, Integer), nil] in which each leads to a comparison around it
          def initialize(changes, words:, span: nil)
            @changes = changes
            @words = words
            @span = span
          end

          # @return [Array<String>] one for each change
          def texts = @changes.map { |change| text(change) }

          # @return [Section, nil] newest first; nil if nothing changed
          def table
            return if @changes.empty?
            what = Blocks::Column.new(text: word(:changed_what), words: true)
            Section.new(title: word(:changed_when), columns: [word(:changed_since), word(:server), what],
              rows: @changes.reverse.map { |change| row(change) })
          end

          private

          def word(key, **facts) = @words.call(key, **facts)

          def row(change)
            server = Width.clean(change.server || word(:not_known))
            [moment(change.at_s), server, text(change)]
          end

          def moment(at_s)
            moment = Blocks::Moment.new(at_s:)
            return moment unless @span && at_s > @span.first && at_s < @span.last
            seconds = [@span.first, at_s, at_s, @span.last]
            ends = seconds.map { |second| Blocks::Moment.new(at_s: second).exact }
            params = %w[base_since base_until since until].zip(ends).to_h
            Blocks::Link.new(text: moment, page: "compare", params:)
          end

          def text(change)
            what = Width.clean(@words.list(change.differences.map(&:to_s)))
            change.deployed? ? word(:deployed, what:) : what
          end
        end
      end
    end
  end
end
