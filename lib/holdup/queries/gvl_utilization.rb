# frozen_string_literal: true

module Holdup
  module Queries
    # How much of their time the GVLs of each server's processes were held, step by step, whatever held them:
    # units, and threads outside of units.
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
