# frozen_string_literal: true

module Holdup
  module Sizing
    # The guards of a deployment where some units have processes of their own: each group has to serve its
    # own, and all groups share the host's CPUs and memory and the database's connections.
    class SplitGuards
      # Guards of the units of a group, and which share of all units these are.
      SplitPart = Data.define(:guards, :share)

      # @param whole [Guards] of all units
      # @param parts [Array<SplitPart>] in the order of Candidate#groups
      def initialize(whole, parts)
        @whole = whole
        @parts = parts
      end

      # @param candidate [Candidate]
      # @return [Array<Guards::Violation>]
      def call(candidate, _most = nil)
        (@whole.of_host(candidate) + each(candidate) { |part, group| part.guards.of_processes(group) }.flatten).uniq(&:name)
      end

      # @param candidate [Candidate]
      # @return [Float] units per second at which the first group is full
      def ceiling(candidate)
        each(candidate) { |part, group| part.guards.ceiling(group) / [part.share, Float::MIN].max }.min
      end

      private

      def each(candidate, &)
        @parts.zip(candidate.groups).map(&)
      end
    end
  end
end
