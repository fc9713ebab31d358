# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # Which jobs come, for ever: cycle after cycle, each with all kinds by their weights in an order of its
      # own. Random draws would give each setting another mix. The same seed gives the same jobs.
      class Work
        OWN = [Kind.new(name: "LabMail", weight: 10, arguments: [4, 4, 5]), Kind.new(name: "LabSync", weight: 7, arguments: [6, 10, 2]),
          Kind.new(name: "LabReport", weight: 3, arguments: [2, 80, 6])].freeze

        # @param kinds [Array<Kind>]
        # @param seed [Integer]
        def initialize(kinds = OWN, seed: 1)
          @random = Random.new(seed)
          @cycle = kinds.flat_map { |kind| [kind] * kind.weight }
          @left = []
        end

        # @return [Kind]
        def next
          @left = @cycle.shuffle(random: @random) if @left.empty?
          @left.pop
        end
      end
    end
  end
end
