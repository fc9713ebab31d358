# frozen_string_literal: true

module Holdup
  module Export
    # How many processes died, by labels and by how they died. Counts only grow.
    #
    # A process that is known begins with 0 of each reason: Prometheus sees by how much a counter grows, and
    # would not see the first death of one that begins at 1.
    class DeathTotals
      # @return [Hash{Hash{Symbol => String} => Integer}] labels with the reason => deaths
      attr_reader :counts

      def initialize
        @counts = {}
      end

      # @param labels [Hash{Symbol => String}] of a process that may die
      def know(labels)
        Autopsy::REASONS.each { |reason| @counts[{**labels, reason: reason.name}] ||= 0 }
      end

      # @param autopsy [Autopsy]
      # @param labels [Hash{Symbol => String}] of its process
      def add(autopsy, labels)
        know(labels)
        @counts[{**labels, reason: autopsy.reason.name}] += 1
      end
    end
  end
end
