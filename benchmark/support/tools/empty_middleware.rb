# frozen_string_literal: true

require "tools"

module Bench
  module Tools
    # A middleware that does nothing: what Sidekiq itself does for one.
    class EmptyMiddleware < None
      class OnlyYields
        def call(_instance, _job, _queue) = yield
      end

      def jobs(config)
        config.server_middleware { |chain| chain.prepend(OnlyYields) }
      end
    end
  end
end
