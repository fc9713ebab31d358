# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # What Holdup itself took, as blocks of a page.
      class CollectorCost
        FIGURES = {held_share: :share, caused_ns: :duration, collector_cpu_share: :share,
                   collector_bytes: :bytes, segment_bytes: :bytes}.freeze

        # @param cost [Analysis::OwnCost]
        # @param words [View::Words]
        def initialize(cost, words:)
          @cost = cost
          @words = words
        end

        # @return [Array<Object>] none where nothing is known
        def blocks
          return [] unless @cost.known?
          pairs = FIGURES.to_h { |key, tell| [@words.call(:"own_#{key}"), View::Figures.public_send(tell, @cost.public_send(key))] }
          [View::Blocks::Facts.new(title: @words.call(:own_title), pairs:),
            View::Blocks::Notes.new(texts: [@words.call(:own_note)])]
        end
      end
    end
  end
end
