# frozen_string_literal: true

module Holdup
  module Compare
    # What differs from before the latest change of a server's setting: facts of the setting, the stall and
    # CPU of units, and the slowest hundredth, which may move although the mean does not. Compared with the
    # last hours before the change, each endpoint with itself.
    # - `kind`: of the units; `change`: Analysis::SettingChanges::LatestChange; `differences`: of
    #   SettingDifference, without the revision
    # - `moved`: Array of Estimate, those that differ significantly and by at least a tenth
    class SettingDrift < Data.define(:kind, :change, :differences, :moved)
      MEANS = %i[stalled_mean cpu_unit].freeze
      TAILS = %i[stalled_p99 wall_p99].freeze
      SPREADS = %i[stalled wall].freeze
      # A report waits for it. 60 rounds give the deviation to within a tenth.
      ROUNDS = 60
      FEWEST_UNITS = 200
      # Ten beyond the percentile.
      FEWEST_FOR_TAILS = 1000
      # Smaller differences are for `holdup compare`.
      LEAST = 0.1
      # Share of the elapsed time that a difference must have, however large it is relatively.
      LEAST_OF_WALL = 0.02

      # @param windows [Array<Window>] around the change
      # @return [Array<SettingDrift>] at most one for each kind of units
      def self.of(change, windows, samples)
        known = Analysis::SettingChanges::KINDS
        units = windows.select { |window| known.include?(window.series.kind) && window.count.positive? }
        kinds = units.map { |window| window.series.kind }.uniq
        kinds.filter_map { |kind| build(kind, change, windows, samples) }
      end

      def self.build(kind, change, windows, samples)
        sides = [change.before, change.after].map { |settings| side(kind, settings, windows, samples) }
        return if sides.any? { |side| side.units < FEWEST_UNITS }
        comparison = Comparison.new(*sides, rounds: ROUNDS, percentiles: SPREADS)
        return if comparison.change.none?
        differences = comparison.change.differences.reject { |difference| difference.subject == "revision" }
        drift = new(kind:, change:, differences:, moved: moved(comparison))
        drift if drift.differences.any? || drift.moved.any?
      end

      def self.side(kind, fingerprints, windows, samples)
        windows = windows.select { |window| fingerprints.include?(window.setting&.fingerprint) }
        Side.new(label: "", windows:, samples:, filter: Analysis::UnitFilter.new(kind:),
          from_s: windows.map(&:start_s).min.to_i, to_s: windows.filter_map(&:end_s).max.to_i)
      end

      # A tail that moved together with its mean is not reported again.
      def self.moved(comparison)
        wall_ns = comparison.estimates[:wall_mean].before
        moved = comparison.verdict(metrics(comparison)).moved.select do |estimate|
          estimate.relative.to_f.abs >= LEAST && estimate.difference.abs >= LEAST_OF_WALL * wall_ns
        end
        means, tails = moved.partition { |estimate| MEANS.include?(estimate.metric.name) }
        means + tails.reject { |tail| means.any? { |mean| mean.verdict == tail.verdict } }
      end

      # Few units have no reliable tail.
      def self.metrics(comparison)
        few = [comparison.before, comparison.after].any? { |side| side.units < FEWEST_FOR_TAILS }
        few ? MEANS : MEANS + TAILS
      end
      private_class_method :build, :side, :moved, :metrics
    end
  end
end
