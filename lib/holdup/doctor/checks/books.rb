# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # caused + hand-off = stalled, over all threads: the one sum that shows whether the measuring itself is right.
      module Books
        TOLERANCE = 0.001

        def self.call(host)
          return [] unless host.gap
          return Finding.ok(:books) if host.gap.abs <= TOLERANCE
          Finding.warn(:books_gap, percent: format("%.2f", host.gap * 100))
        end
      end
    end
  end
end
