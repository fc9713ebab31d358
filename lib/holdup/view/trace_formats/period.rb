# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # A span in ns since the window's begin. `unit`, `wait`: nil for none; `from`, `to`: the same in ticks.
      Period = Struct.new(:state, :kind, :from_ns, :to_ns, :unit, :wait, :from, :to)
    end
  end
end
