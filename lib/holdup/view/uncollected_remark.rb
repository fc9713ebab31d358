# frozen_string_literal: true

module Holdup
  module View
    # That requests and jobs have ended which a report does not have yet.
    module UncollectedRemark
      NS = 1_000_000_000

      # @param look [#units, #at_ns, #collecting, nil]
      # @param now_s [Integer]
      # @param words [Words]
      # @return [String, nil]
      def self.remark(look, now_s:, words:)
        return if look.nil? || look.units.zero?
        count = Figures.count(look.units)
        return words.call(:remark_uncollected_nobody, count:) unless look.collecting
        return words.call(:remark_uncollected_first, count:) unless look.at_ns
        words.call(:remark_uncollected, count:, ago: Figures.duration([now_s * NS - look.at_ns, 0].max))
      end
    end
  end
end
