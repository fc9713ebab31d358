# frozen_string_literal: true

module Holdup
  module Analysis
    # When units were measured. Every rate is over this time: the first and the last minute of a recording
    # have units in a part only.
    # - `spans`: Array of Range of Float, seconds since 1970, ascending, none touches the next
    # - `exact`: whether begin and end come from single units; else from windows, and rates are lower bounds
    class MeasuredTime < Data.define(:spans, :exact)
      LEAST_S = 1

      def self.whole(from_s, to_s, exact: false)
        new(spans: (from_s < to_s) ? [from_s.to_f..to_s.to_f] : [], exact:)
      end

      # The time goes from the start of the first unit to the end of the last; nil without any.
      def self.of(unit_samples)
        from_ns = unit_samples.map(&:start_ns).min
        to_ns = unit_samples.map(&:end_ns).max
        from_ns && whole(from_ns.fdiv(NS), to_ns.fdiv(NS), exact: true)
      end

      # The time goes from the start of the first window to the end of the last: all that is known without
      # single units.
      def self.of_windows(windows)
        whole(windows.map(&:start_s).min, windows.map(&:end_s).max)
      end

      # @param spans [Array<(Numeric, Numeric)>] the time in which there was any of them
      def self.of_any(spans)
        joined = spans.sort.each_with_object([]) do |(from_s, to_s), all|
          if all.any? && from_s <= all.last.end
            all[-1] = all.last.begin..[all.last.end, to_s.to_f].max
          else
            all << (from_s.to_f..to_s.to_f)
          end
        end
        new(spans: joined.reject { |span| span.begin == span.end }, exact: false)
      end

      def empty? = spans.empty?

      def from_s = spans.first&.begin

      def to_s = spans.last&.end

      def total_s
        spans.sum(0.0) { |span| span.end - span.begin }
      end

      # The result is that of `cut(from_s, to_s).total_s`, for each minute of each host.
      def seconds(from_s, to_s)
        spans.sum(0.0) { |span| [[span.end, to_s].min.to_f - [span.begin, from_s].max, 0.0].max }
      end

      def cut(from_s, to_s)
        inside = spans.map { |span| [span.begin, from_s].max.to_f..[span.end, to_s].min.to_f }
        with(spans: inside.select { |span| span.begin < span.end })
      end

      def without(from_s, to_s)
        return self if empty? || from_s >= to_s
        with(spans: cut(self.from_s, from_s).spans + cut(to_s, self.to_s).spans)
      end

      # @param spans [Enumerable<(Numeric, Numeric)>] ascending
      def within(spans)
        runs = spans.slice_when { |one, other| other.first > one.last }
        joined = runs.map { |same| [same.first.first, same.last.last] }
        with(spans: joined.flat_map { |from_s, to_s| cut(from_s, to_s).spans })
      end

      # Units per second; nil where the measured time is too short.
      def rate(count)
        (total_s < LEAST_S) ? nil : count / total_s
      end
    end
  end
end
