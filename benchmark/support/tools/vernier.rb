# frozen_string_literal: true

require "vernier"
require "tools"

module Bench
  module Tools
    # The profiler, running all the time as a production one would; it knows no units.
    class Vernier < None
      def start = ::Vernier.start_profile

      # A process that ends while its profiler runs aborts.
      def stop = ::Vernier.stop_profile
    end
  end
end
