# frozen_string_literal: true

require "tools/holdup"

module Bench
  module Tools
    # The same with a callback that reads nothing.
    class HoldupOnFinish < Holdup
      def start
        ::Holdup.configure { |config| config.on_finish = ->(_figures) {} }
        super
      end
    end
  end
end
