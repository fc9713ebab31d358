# frozen_string_literal: true

require "tools"

module Bench
  module Tools
    # A hook that does nothing: no tool that listens to these events can cost less.
    class EmptyHook < None
      def start = GvlWork.empty_hook
    end

    # A hook that tells running from idle on one thread, and nothing else.
    class LeastHook < None
      def start = GvlWork.least_hook
    end
  end
end
