# frozen_string_literal: true

module Holdup
  module Analysis
    # What is not as it was before the last change of a server's setting: facts of the setting, how long units
    # stall and what CPU they take, and how long the slowest of a hundred do, whose mean may be what it was.
    # Held against the last hours before, each endpoint with itself.
    #
    # - `kind`: of the units; `turn`: Turn; `differences`: Array of
    #   Comparison::SettingDifferences::SettingDifference, without the revision
    # - `moved`: Array of Comparison::Estimate, those that are surely another by a tenth at least
    SettingDrift = Data.define(:kind, :turn, :differences, :moved) do
      # @param turn [SettingTurn]
      # @param windows [Array<Window>] around it
      # @param samples [Array<Hash{Symbol => Object}>] of processes
      # @return [Array<SettingDrift>] one for each kind of units, where anything is to be told
      def self.of(turn, windows, samples)
        units = windows.select { |window| self::KINDS.include?(window.series.kind) && window.count.positive? }
        units.map { |window| window.series.kind }.uniq.filter_map { |kind|
          build(kind, turn, windows, samples)
        }
      end

      def self.build(kind, turn, windows, samples)
        sides = [turn.before, turn.after].map { |fingerprints| side(kind, fingerprints, windows, samples) }
        return if sides.any? { |one| one.units < self::FEWEST_UNITS }
        comparison = Comparison.new(*sides, rounds: self::ROUNDS, percentiles: self::SPREADS)
        return if comparison.change.none?
        drift = new(kind:, turn:,
          differences: comparison.change.differences.reject { |one| one.subject == "revision" }, moved: moved(comparison))
        drift if drift.differences.any? || drift.moved.any?
      end

      def self.side(kind, fingerprints, windows, samples)
        own = windows.select { |window| fingerprints.include?(window.setting&.fingerprint) }
        Comparison::Side.new(label: "", windows: own, samples:, filter: UnitFilter.new(kind:),
          from_s: own.map(&:start_s).min.to_i, to_s: own.filter_map(&:end_s).max.to_i)
      end

      def self.moved(comparison)
        wall_ns = comparison.estimates[:wall_mean].before
        moved = comparison.verdict(metrics(comparison)).moved.select { |one|
          one.relative.to_f.abs >= self::LEAST && one.difference.abs >= self::LEAST_OF_WALL * wall_ns
        }
        # A tail that went with its mean is no further news.
        means, tails = moved.partition { |one| self::MEANS.include?(one.metric.name) }
        means + tails.reject { |tail| means.any? { |mean| mean.verdict == tail.verdict } }
      end

      # Of few units nobody knows the slowest.
      def self.metrics(comparison)
        few = [comparison.before, comparison.after].any? { |side| side.units < self::FEWEST_FOR_TAILS }
        few ? self::MEANS : self::MEANS + self::TAILS
      end
      private_class_method :build, :side, :moved, :metrics
    end

    SettingDrift::KINDS = %i[request job].freeze
    SettingDrift::MEANS = %i[stalled_mean cpu_unit].freeze
    SettingDrift::TAILS = %i[stalled_p99 wall_p99].freeze
    SettingDrift::SPREADS = %i[stalled wall].freeze
    # A report waits for it: the deviation is known to a tenth then.
    SettingDrift::ROUNDS = 60
    SettingDrift::FEWEST_UNITS = 200
    # Ten beyond the percentile.
    SettingDrift::FEWEST_FOR_TAILS = 1000
    # Less is found by `holdup compare`, and wakes nobody.
    SettingDrift::LEAST = 0.1
    # However much it is relative to itself: of the elapsed time.
    SettingDrift::LEAST_OF_WALL = 0.02
  end
end
