# frozen_string_literal: true

module Holdup
  module Instrumentation
    class Tracers
      # Stands in front of a span's `finish` and tells of it before it runs.
      class SpanFinish < Module
        # @yieldparam span [Object]
        def initialize(&told)
          super(&nil) # a Module evaluates its block
          define_method(:finish) do |*arguments, **options|
            told.call(self)
            super(*arguments, **options)
          end
        end
      end
    end
  end
end
