# frozen_string_literal: true

require "vernier"
require "tools/holdup_stacks"
require "holdup/capture/vernier_profile"

module Bench
  module Tools
    # The same while vernier samples what runs, however often threads switch.
    class HoldupVernier < HoldupStacks
      def start
        super
        ::Holdup::Probe.sample_elsewhere(true)
        @profile = ::Holdup::Capture::VernierProfile.new
        @profile.start
      end

      def stop
        @profile.stop
        super
      end
    end
  end
end
