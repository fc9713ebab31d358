# frozen_string_literal: true

module Holdup
  module View
    # The remark that figures are of several applications at once, for reports and comparisons.
    module Applications
      # @param found [Analysis::ApplicationShares]
      # @param words [Words]
      # @return [String, nil] nil where they are of one
      def self.remark(found, words:)
        found.several? ? words.call(:remark_applications, count: found.shares.size,
          apps: Width.clean(found.to_s)) : nil
      end
    end
  end
end
