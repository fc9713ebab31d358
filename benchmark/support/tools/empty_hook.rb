# frozen_string_literal: true

require "tools"

module Bench
  module Tools
    # A hook that does nothing: no tool that listens to these events can cost less.
    class EmptyHook < None
      def start = GvlWork.empty_hook
    end
  end
end
