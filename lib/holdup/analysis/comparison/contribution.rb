# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # What one endpoint did to the mean elapsed time of all units.
      #
      # - `shares`: of the units of each side; `means`: its mean elapsed time, ns, before and after
      # - `moved_ns`: so much the mean of all units changed by it; `range`: 95 %, nil where there was too little to tell
      Contribution = Data.define(:series, :shares, :means, :moved_ns, :range)
    end
  end
end
