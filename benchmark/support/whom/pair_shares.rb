# frozen_string_literal: true

require "holdup/loader"

module Bench
  # How far shares of pairs, in ns by victim and holder, are from what is known.
  module PairShares
    # Waits of a victim that last less in all are chance.
    LEAST_NS = 200_000_000
    # Points, where nothing was measured of a wait that is known.
    ALL = [100.0].freeze
    UNKNOWN = Holdup::Series::NAMELESS.key(:unknown)

    private

    # @param known [Array<Hash>] bounds of what is known
    # @param names [Array<String>] of victims and holders
    # @return [Float] points by which a share is outside of the bounds at most
    def furthest(known, measured, names)
      differences = names.flat_map do |victim|
        bounds = known.map { |pairs| shares(pairs, victim, names) }
        next [] unless bounds.all?
        found = shares(measured, victim, names, least_ns: 1)
        next ALL unless found
        names.map { |holder| outside(bounds.map { |parts| parts.fetch(holder) }, found.fetch(holder)) }
      end
      differences.max || 0.0
    end

    def outside(bounds, found) = [bounds.min - found, found - bounds.max, 0.0].max

    # @return [Hash{String => Float}, nil] % of what that one waited for these; nil where it hardly did
    def shares(pairs, victim, names, least_ns: LEAST_NS)
      parts = names.to_h { |holder| [holder, pairs.fetch([victim, holder], 0)] }
      all = parts.values.sum
      parts.transform_values { |ns| 100.0 * ns / all } if all >= least_ns
    end

    # @return [Float] % of all waits
    def unknown_share(pairs)
      100.0 * pairs.sum { |(_, holder), ns| (holder == UNKNOWN) ? ns : 0 } / pairs.values.sum
    end

    def points(number) = format("%.2f", number)
  end
end
