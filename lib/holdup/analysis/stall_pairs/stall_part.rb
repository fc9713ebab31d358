# frozen_string_literal: true

module Holdup
  module Analysis
    class StallPairs
      # What one series suffered and caused in one window.
      StallPart = Struct.new(:series, :suffered, :caused)
    end
  end
end
