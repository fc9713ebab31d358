# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of the store step by step, for charts.
    #
    #   TimeSeriesQuery.call(store, from_s:, to_s:, filter: Analysis::UnitFilter.new(name:
    #   "OrdersController#index")).to_h
    class TimeSeriesQuery
      POINTS = 300
      STEPS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].freeze
      MINUTE_S = 60
      ALL = Series.new(kind: :request, name: "(all)")
      # What is read: histograms are most of a long span's time.
      OF_UNITS = %i[wall queued stalled].freeze
      OF_ACCOUNTS = %i[running].freeze

      # Steps begin at round times, so the first may begin before the span; the minute that is not over yet is
      # left out, because the figures of half a minute would always look like a fall.
      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param filter [Analysis::UnitFilter] which units
      # @param histograms [Array<Symbol>] of units, of Window::HISTOGRAMS
      # @return [Analysis::TimeSeries] with at most POINTS steps
      def self.call(store, from_s:, to_s:, filter: Analysis::UnitFilter.new, histograms: OF_UNITS)
        new(store, from_s, to_s, filter, histograms).call
      end

      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param finest_s [Integer] of what is kept
      # @return [Integer] seconds of a step
      def self.step_s(from_s, to_s, finest_s = MINUTE_S)
        needed_s = [(to_s - from_s).fdiv(POINTS - 1).ceil, finest_s].max
        STEPS_S.find { |step_s| step_s >= needed_s } || -(-needed_s / STEPS_S.last) * STEPS_S.last
      end

      def initialize(store, from_s, to_s, filter, histograms)
        @store = store
        @of_units = histograms
        @filter = filter
        @step_s = self.class.step_s(from_s, to_s, store.finest_s(from_s))
        @from_s = from_s / @step_s * @step_s
        @to_s = to_s / MINUTE_S * MINUTE_S
        @sums = {}
      end

      # @return [Analysis::TimeSeries]
      def call
        gvl = GvlUtilization.new(method(:sums), at_s).call
        Analysis::TimeSeries.new(at_s:, step_s: @step_s, to_s: @to_s, windows: chosen, gvl:, measured:,
          coverage:)
      end

      private

      def coverage
        MeasuredTimeQuery.call(@store, from_s: @from_s, to_s: @to_s, kinds: @filter.kind ? [@filter.kind] : Series::UNITS)
      end

      def at_s = (@from_s...@to_s).step(@step_s).to_a

      def measured
        setting_starts.to_set { |step, _| step * @step_s }
      end

      def chosen
        return sums(Series::UNITS, only: @filter).transform_values { |sums| merged(sums) } if @filter.narrow?
        whole? ? sums([:process]).transform_values { |sums| merged(sums) } : less_nested
      end

      # Processes have all units once more, in far fewer windows, if they were kept apart all the time.
      def whole?
        setting_starts(Series::UNITS) == setting_starts([:process])
      end

      def setting_starts(kinds = nil)
        found = @store.setting_starts(@from_s, @to_s, step_s: @step_s, kinds:)
        found.select { |_, setting| @filter.setting?(setting) }.to_set { |at_s, setting|
          [at_s / @step_s, setting]
        }
      end

      def less_nested
        nested = sums([:nested])
        sums(Series::UNITS).to_h { |at_s, sums| [at_s, nested[at_s] ? Analysis::WindowTable::WindowSum.subtract(merged(sums), merged(nested[at_s])) : merged(sums)] }
      end

      def merged(sums) = Window.sum(sums.map(&:window))

      # @return [Hash{Integer => Array<Store::SpanSum>}] by the start of the step, one for each setting
      def sums(kinds, **only)
        @sums[[kinds,
          only]] ||= @store.sums(@from_s, @to_s, step_s: @step_s, together: ALL, kinds:, histograms: histograms(kinds),
**only)
            .select { |sum| @filter.setting?(sum.window.setting) }.group_by { |sum|
                       sum.window.start_s / @step_s * @step_s
                     }
      end

      def histograms(kinds)
        case kinds
        when [:account] then OF_ACCOUNTS
        when [:process] then @filter.narrow? ? [] : @of_units
        else @of_units
        end
      end

      # How much of their time the GVLs of each server's processes were held, step by step, whatever held
      # them: units, and threads outside of units.
      #
      # A process has the time of the windows that it is in. Where windows are of hours, one that lived for a
      # part of such an hour has it whole, so around restarts the share comes out too low, never too high.
      class GvlUtilization
        NS = 1_000_000_000
        # Of a process that told no server.
        UNNAMED = "-"

        # @param sums [#call] kinds => {start of the step => Array of Store::SpanSum}
        # @param at_s [Array<Integer>] starts of the steps
        def initialize(sums, at_s)
          @sums = sums
          @at_s = at_s
        end

        # @return [Hash{String => Array<Float, nil>}] by group, one for each step
        def call
          covered = covered_s
          held = held_ns
          covered.values.flat_map(&:keys).uniq.sort.to_h { |group|
            [group, @at_s.map { |at_s| share(held.dig(at_s, group), covered.dig(at_s, group)) }]
          }
        end

        private

        def share(held_ns, covered_s)
          covered_s && held_ns.to_i.fdiv(covered_s * NS)
        end

        def processes = @sums.call([:process])

        def covered_s
          by_group(processes) { |sum| sum.covered_s }
        end

        # Processes have all units once more, and what is nested in others once; of units it is known without
        # their histogram.
        def held_ns
          units = by_group(processes) { |sum| sum.window.sums.values_at(:cpu_ns, :starved_ns).sum }
          units.merge(by_group(@sums.call([:account])) { |sum| sum.window.histograms[:running].sum }) do |_, one, other|
            one.merge(other) { |_, ns, further| ns + further }
          end
        end

        def by_group(steps)
          steps.transform_values { |sums|
            sums.group_by { |sum| group(sum.window.setting) }.transform_values { |same|
              same.sum { |sum| yield sum }
            }
          }
        end

        def group(setting)
          setting&.[]("server") || setting&.[]("jobs") || UNNAMED
        end
      end
    end
  end
end
