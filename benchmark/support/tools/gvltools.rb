# frozen_string_literal: true

require "gvltools"
require "tools"

module Bench
  module Tools
    # All three metrics of gvltools. It keeps sums per thread and process, so a unit is the difference of two
    # readings.
    class Gvltools < None
      TIMERS = [GVLTools::LocalTimer, GVLTools::GlobalTimer, GVLTools::WaitingThreads].freeze

      def start = TIMERS.each(&:enable)

      def unit
        before = GVLTools::LocalTimer.monotonic_time
        super
        GVLTools::LocalTimer.monotonic_time - before
      end

      def around(app) = Middleware.new(app)

      # As its README shows it.
      Middleware = Struct.new(:app) do
        def call(env)
          before = GVLTools::LocalTimer.monotonic_time
          response = app.call(env)
          env["gvltools.wait"] = GVLTools::LocalTimer.monotonic_time - before
          response
        end
      end
    end
  end
end
