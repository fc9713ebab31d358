# frozen_string_literal: true

require_relative "../../analysis/sizing/recording/boots"

module Holdup
  module Inquiry
    class Recorded
      # Of what in a span windows are put together. Those in which a process began, or had just begun, stay as short as they are:
      # whether they count is found out for each. So do the ends of the span, which are no whole windows.
      class Stretches
        # No window is shorter: each by itself, only hosts are added up, because they are compared together.
        APART_S = 60
        YOUNG_S = Analysis::Sizing::Recording::Boots::WARM_UP_S

        # `step_s`: how much of it is put together
        Stretch = Data.define(:from_s, :to_s, :step_s) do
          # @return [Boolean] whether windows in it are put together
          def long? = step_s > APART_S

          # Whatever series a window is of, it stands for its whole step of the stretch.
          # @param windows [Array<Window>] of this stretch
          # @param seen_s [Array<Integer>] starts of all that were put together
          # @param window_s [Integer] seconds of each
          # @return [Array<Window>]
          def whole(windows, seen_s, window_s)
            windows.group_by { |window| window.start_s / step_s }.flat_map do |number, same|
              start_s, end_s = [number * step_s, from_s].max, [(number + 1) * step_s, to_s].min
              seconds = seen_s.count { |at_s| at_s >= start_s && at_s < end_s } * window_s
              same.map { |window| window.with(start_s:, seconds:) }
            end
          end
        end

        # @param from_s [Integer]
        # @param to_s [Integer]
        # @param window_s [Integer] seconds of a window
        # @param began_s [Array<Integer>] when processes began
        def initialize(from_s:, to_s:, window_s:, began_s:)
          @from_s = from_s
          @to_s = to_s
          @window_s = window_s
          @began_s = began_s
        end

        # @param step_s [Integer] how much is put together, if that is longer than a window
        # @param seen_s [Array<Integer>] starts of windows: from the step of the first to that of the last
        # @return [Array<Stretch>] in the order of time; those that are put together have that step
        def of(step_s, seen_s)
          return [] if seen_s.empty?
          first_s, last_s = seen_s.minmax
          end_s = (last_s / step_s * step_s) + [step_s, @window_s].max
          found = (step_s > @window_s) ? cut(step_s) : [Stretch.new(from_s: @from_s, to_s: @to_s, step_s: APART_S)]
          found.map { |stretch| stretch.with(from_s: [stretch.from_s, first_s / step_s * step_s].max, to_s: [stretch.to_s, end_s].min) }
            .select { |stretch| stretch.from_s < stretch.to_s }
        end

        private

        def cut(step_s)
          apart.each_with_object([Stretch.new(from_s: @from_s, to_s: @from_s, step_s:)]) do |(from_s, to_s), all|
            all << Stretch.new(from_s: all.last.to_s, to_s: from_s, step_s:) << Stretch.new(from_s:, to_s:, step_s: APART_S)
          end
        end

        # Spans that stay as they are; neighbours are one.
        def apart
          first_s, last_s = @from_s.ceildiv(@window_s) * @window_s, @to_s / @window_s * @window_s
          return [[@from_s, @to_s]] if first_s >= last_s
          young = young_s.select { |at_s| at_s >= first_s && at_s < last_s }.map { |at_s| [at_s, at_s + @window_s] }
          [[@from_s, first_s], *young, [last_s, @to_s]].slice_when { |one, other| one.last < other.first }.map { |same| [same.first.first, same.last.last] }
        end

        def young_s = @began_s.flat_map { |at_s| [at_s, at_s + YOUNG_S - 1] }.map { |at_s| at_s / @window_s * @window_s }.uniq.sort
      end
    end
  end
end
