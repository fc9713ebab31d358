# frozen_string_literal: true

module Holdup
  class Web
    # The body of a page whose first part is sent, and painted, before the rest is read: the style sheets and
    # the menu, which depend on no data.
    class StreamedPage
      # @param first [String]
      # @param close [#call] when it was sent, or when nobody wants it any more
      # @yieldreturn [String] the rest
      def initialize(first, close:, &rest)
        @first = first
        @close = close
        @rest = rest
      end

      # @yieldparam part [String]
      def each
        return to_enum unless block_given?
        yield @first
        yield Web.yielding(&@rest)
      end

      # Servers call it once, also where the reader has gone.
      def close
        @close.call
      end
    end
  end
end
