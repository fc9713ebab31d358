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

      def settle
        ticker = Thread.list.find { |thread| thread.name == ::Holdup::Runtime::Ticker::NAME }
        sleep(0.01) until ticker.stop? # it sleeps until its next tick
        ::Holdup.runtime.let_go
        ticker.join
      end

      def open = ::Holdup::Probe.enter("web")

      def unit
        @recorder.measure("ReportJob") { GvlWork.release(RELEASES) }
      end

      def launched(launcher)
        ::Holdup::Servers::Sidekiq.new(runtime: ::Holdup.runtime).serving(launcher)
      end

      def around(app)
        ::Holdup::Instrumentation::Rack.new(app, ::Holdup.requests)
      end
    end
  end
end
