# frozen_string_literal: true

module Holdup
  module Queries
    # Of what in a span windows are put together. Those in which a process began, or had just begun, stay as
    # short as they are kept: whether they count is found out for each. So do the ends of the span, which are
    # no whole windows.
    class ComparisonIntervals
      # No window is shorter: each by itself, only hosts are added up, because they are compared together.
      APART_S = 60
      YOUNG_S = Analysis::ProcessBoots::WARM_UP_S

      # `step_s`: how much of it is put together
      Interval = Data.define(:from_s, :to_s, :step_s) do
        # @return [Boolean] whether windows in it are put together
        def long? = step_s > APART_S

        # @return [Interval, nil] the part of it that lies there; nil where none does
        def within(begin_s, end_s)
          part = with(from_s: [from_s, begin_s].max, to_s: [to_s, end_s].min)
          part if part.from_s < part.to_s
        end

        # Whatever series a window is of, it stands for its whole step of the stretch, or for itself where
        # only longer ones are kept.
        # @param windows [Array<Window>] of this stretch
        # @param seen [Array<(Integer, Integer)>] from when to when those were that were put together
        # @return [Array<Window>]
        def whole(windows, seen)
          windows.group_by { |window| window.start_s / step_s }.flat_map do |number, same|
            start_s = [number * step_s, from_s].max
            longest_s = [(number + 1) * step_s, *same.map(&:end_s)].max
            end_s = [longest_s, to_s].min
            seconds = seen.sum { |seen_s, until_s| [[until_s, end_s].min - [seen_s, start_s].max, 0].max }
            same.map { |window| window.with(start_s:, seconds:) }
          end
        end
      end

      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param window_s [Integer] seconds of a window
      # @param began_s [Array<Integer>] when processes began
      # @param kept_s [#call] second => seconds of the shortest windows that are kept there
      def initialize(from_s:, to_s:, window_s:, began_s:, kept_s: ->(_) { APART_S })
        @from_s = from_s
        @to_s = to_s
        @window_s = window_s
        @began_s = began_s
        @kept_s = kept_s
      end

      # @param step_s [Integer] how much is put together, if that is longer than a window
      # @param seen [Array<(Integer, Integer)>] from when to when windows are that have units, ascending
      # @return [Array<Interval>] in the order of time; those that are put together have that step
      def of(step_s, seen)
        return [] if seen.empty?
        return separate(seen) unless step_s > @window_s
        first_s = seen.first.first / step_s * step_s
        end_s = (seen.last.last - 1) / step_s * step_s + step_s
        cut(step_s).filter_map { |stretch| stretch.within(first_s, end_s) }
      end

      private

      def separate(seen)
        joined(seen).filter_map { |from_s, to_s|
          Interval.new(from_s:, to_s:, step_s: APART_S).within(@from_s, @to_s)
        }
      end

      def cut(step_s)
        apart.each_with_object([Interval.new(from_s: @from_s, to_s: @from_s,
          step_s:)]) do |(from_s, to_s), all|
          all << Interval.new(from_s: all.last.to_s, to_s: from_s,
            step_s:) << Interval.new(from_s:, to_s:, step_s: APART_S)
        end
      end

      # Spans that stay as they are; neighbours are one.
      def apart
        first_s = @from_s.ceildiv(@window_s) * @window_s
        last_s = @to_s / @window_s * @window_s
        return [[@from_s, @to_s]] if first_s >= last_s
        young = young_s.select { |begin_s, end_s| begin_s < last_s && end_s > first_s }
        inside = young.map { |begin_s, end_s| [[begin_s, first_s].max, [end_s, last_s].min] }
        joined([[@from_s, first_s], *inside.sort, [last_s, @to_s]])
      end

      def joined(spans)
        spans.each_with_object([]) do |(begin_s, end_s), all|
          next all << [begin_s, end_s] if all.empty? || begin_s > all.last.last
          all.last[1] = [all.last.last, end_s].max
        end
      end

      # The windows of the first minutes of processes: whole ones, or a part of each would be read twice.
      def young_s
        @began_s.uniq.map do |at_s|
          length_s = @kept_s.call(at_s)
          [at_s / length_s * length_s, (at_s + YOUNG_S).ceildiv(length_s) * length_s]
        end
      end
    end
  end
end
