# frozen_string_literal: true

module Holdup
  module Ps
    # How old what was seen of a state is, and how long the state had lasted by then.
    #
    # - `since_ns`: when the state began; `seen_ns`: when it was seen last; `now_ns`: all since 1970
    SeenState = Data.define(:since_ns, :seen_ns, :now_ns) do
      # @return [Integer, nil] nil if nothing was seen
      def age_ns = seen_ns && [now_ns - seen_ns, 0].max

      # States are looked at ten times a second. What is older may have changed since.
      def old? = !age_ns.nil? && age_ns > self.class::FRESH_NS

      # @return [Integer, nil] how long it lasts; an old one, how long it had lasted when it was seen
      def lasted_ns
        return unless since_ns && seen_ns
        [(old? ? seen_ns : now_ns) - since_ns, 0].max
      end
    end

    SeenState::FRESH_NS = 1_000_000_000
  end
end
