# frozen_string_literal: true

module Holdup
  module Lab
    # A request that is to be sent at a moment, `at_ns` after the start, whatever became of those before it.
    Arrival = Data.define(:at_ns, :route, :path)
  end
end
