# frozen_string_literal: true

module Holdup
  module Report
    # Reads which process of a server had more, or slower, requests or jobs than the others.
    module UnequalProcessesReader
      # @return [UnequalProcesses::Unequal, nil] nil where all are alike
      def self.call(store, from_s:, to_s:)
        sums = store.sums(from_s, to_s, kinds: [:process], by_host: true, histograms: [:wall], numbers: [])
        UnequalProcesses.call(sums)
      end
    end
  end
end
