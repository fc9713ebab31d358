# frozen_string_literal: true

require "tools/holdup"

module Bench
  module Tools
    # The same without the Ruby around the probe: what the C costs.
    class HoldupProbe < Holdup
      JOB = 2

      def unit
        handle = ::Holdup::Probe.enter
        GvlWork.release(RELEASES)
        ::Holdup::Probe.record(handle, JOB, "ReportJob", nil, nil, false)
      end
    end

    # A request that is only begun and recorded, under a name that is known: without the middleware, the
    # name, the queue time and the calls.
    class HoldupCore < HoldupProbe
      REQUEST = 1

      def start
        ::Holdup.configure { |config| config.calls = [] }
        super
      end

      def around(app)
        lambda do |env|
          handle = ::Holdup::Probe.enter
          answer = app.call(env)
          ::Holdup::Probe.record(handle, REQUEST, "OrdersController#index", nil, nil, false)
          answer
        end
      end
    end
  end
end
