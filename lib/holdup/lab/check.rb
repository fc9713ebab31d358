# frozen_string_literal: true

module Holdup
  module Lab
    # A gate for CI: did an endpoint get worse? How often it takes the GVL is a count and compared as it is;
    # how long it holds it, and the p95 that follows from all of it, may differ by a tolerance.
    class Check
      # One figure of one endpoint. `key`: a member of Endpoints::Figures; `limit`: the most that is still all
      # right
      Row = Data.define(:name, :key, :before, :after, :limit) do
        # @return [Boolean]
        def worse? = after > limit

        # @return [Float, nil] share by which it grew; nil where there was nothing before
        def change
          before.zero? ? nil : after / before.to_f - 1
        end
      end

      KEYS = %i[acquisitions longest_hold_ns p95_ns].freeze
      COUNTS = %i[acquisitions].freeze

      # @param baseline [Baseline]
      # @param endpoints [Hash{String => Endpoints::Figures}] as they are now
      # @param tolerance [Float]
      def initialize(baseline, endpoints, tolerance:)
        @before = baseline.endpoints
        @after = endpoints
        @tolerance = tolerance
      end

      # @return [Array<Row>] of the endpoints that both have, with requests enough
      def rows
        @rows ||= comparable.flat_map { |name| KEYS.map { |key| row(name, key) } }
      end

      # @return [Array<Row>]
      def worse = rows.select(&:worse?)

      # @return [Boolean] whether the gate opens
      def passed? = worse.empty?

      # @return [Array<String>] endpoints that the baseline doesn't have
      def added = @after.keys - @before.keys

      # @return [Array<String>] endpoints that only the baseline has
      def gone = @before.keys - @after.keys

      # @return [Array<String>] endpoints with too few requests on one side
      def thin = (@before.keys & @after.keys) - comparable

      # @return [Hash] for programs
      def to_h
        {passed: passed?, tolerance: @tolerance, added:, gone:, too_few: thin,
         endpoints: rows.group_by(&:name).transform_values { |own| own.to_h { |row| [row.key, {before: row.before, after: row.after, limit: row.limit, worse: row.worse?}] } }}
      end

      private

      def comparable
        @before.keys.select { |name| @before[name].enough? && @after[name]&.enough? }
      end

      def row(name, key)
        before, after = [@before, @after].map { |side| side[name].public_send(key) }
        Row.new(name:, key:, before:, after:,
          limit: COUNTS.include?(key) ? before : (before * (1 + @tolerance)).round)
      end
    end
  end
end
