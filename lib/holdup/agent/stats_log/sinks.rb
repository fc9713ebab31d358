# frozen_string_literal: true

require_relative "sinks/path"
require_relative "sinks/stream"

module Holdup
  class StatsLog
    # Where lines go. Each answers `call(line)`: true when the line is written, false when there was no room
    # for it.
    module Sinks
      # @param target [Symbol, String, IO, #info, #write]
      # @return [#call]
      def self.for(target)
        case target
        when :stdout then Stream.standard(1)
        when :stderr then Stream.standard(2)
        when String then Path.new(target)
        when IO then Stream.new(target)
        else Device.new(target)
        end
      end

      # The application's own logger, or whatever it writes to: how long that takes is its own affair.
      class Device
        # @param device [#info, #write]
        def initialize(device)
          @device = device
        end

        def call(line)
          @device.respond_to?(:info) ? @device.info(line.chomp) : @device.write(line)
          true
        end
      end
    end
  end
end
