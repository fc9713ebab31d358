# frozen_string_literal: true

require "holdup"
require "tools"

module Bench
  module Tools
    # Holdup as an application has it: a real segment, all histograms, the ring, the ticker. The unit is a
    # measured block.
    class Holdup < None
      def start
        dir = scratch
        ::Holdup.configure do |config|
          config.dir = dir
          config.collector = :off
          config.enabled = true
        end
        ::Holdup.start or raise "Holdup did not start"
        @recorder = ::Holdup.recorder
      end

      def open = ::Holdup::Probe.enter("web")

      def unit
        @recorder.measure("ReportJob") { GvlWork.release(RELEASES) }
      end

      def around(app)
        ::Holdup::Instrumentation::Rack.new(app, ::Holdup.requests)
      end
    end
  end
end
