# frozen_string_literal: true

require_relative "../analysis/sizing/what_if"
require_relative "levers"

module Holdup
  module Advice
    # All that rules look at: what was measured, what the replay says of it, what can be turned.
    class Situation
      # Replays of a finding are there to rank it: fewer rounds than a recommendation's.
      ROUNDS = 10

      attr_reader :summary, :recommendation, :levers

      # @param summary [Analysis::Summary] of one kind of units
      # @param recommendation [Analysis::Sizing::Recommendation, nil] nil where nothing was recorded singly
      # @param levers [Levers]
      def initialize(summary:, recommendation: nil, levers: Levers.new([]))
        @summary = summary
        @recommendation = recommendation
        @levers = levers
      end

      # @return [Symbol]
      def kind = recommendation ? recommendation.recording.kind : summary.unit_kind

      def jobs? = kind == :job

      # @return [Boolean] whether replays of this recording mean something
      def sized? = !recommendation.nil? && recommendation.verdict != :unknown

      # @return [Boolean]
      def change? = sized? && recommendation.verdict == :change

      # @return [Analysis::Row] all units
      def total = summary.total

      # @return [Analysis::Machine, nil] the host with the least
      def machine = summary.processes.machines.min_by { |machine| machine.vcpus || Float::INFINITY }

      # What a replay says of a change, as facts of a Finding; nothing where a replay means nothing.
      # @param change [Hash] see Analysis::Sizing::WhatIf::Change
      # @return [Hash{Symbol => Object}]
      def effect(**change)
        return {} unless sized?
        what_if = Analysis::Sizing::WhatIf.new(recommendation, Analysis::Sizing::WhatIf::Change.new(**change), rounds: ROUNDS)
        return {} if (change.key?(:without) || change.key?(:halved)) && what_if.touched.zero?
        return {} unless what_if.before.replayed? && what_if.after.replayed?
        {gain: what_if.gain, interval: what_if.interval}
      end

      # @param name [String]
      # @return [String] a glob of exactly that
      def literal(name) = name.gsub(/[\\*?\[\]{}]/) { |char| "\\#{char}" }
    end
  end
end
