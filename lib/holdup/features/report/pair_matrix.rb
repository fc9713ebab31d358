# frozen_string_literal: true

module Holdup
  module Report
    # Who waited for whom, on a page: names of requests and jobs lead to their pages.
    module PairMatrix
      private

      # @param brief [Boolean] whether it has little room
      # @return [View::Section, nil] nil without pairs
      def matrix(limit: query.limit, brief: false)
        kind = brief ? Sections::Stalls::BriefStallMatrix : Sections::Stalls::StallMatrix
        kind.new(summary, words: @words, limit:, link: method(:unit_link)).call
      end
    end
  end
end
