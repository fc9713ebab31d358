# frozen_string_literal: true

module Holdup
  module Capture
    # Tells somebody that a profiler is about to begin.
    class SamplerHandover < Module
      # @param told [#call]
      def initialize(told)
        super()
        define_method(:start) do
          told.call
          super()
        end
      end
    end
  end
end
