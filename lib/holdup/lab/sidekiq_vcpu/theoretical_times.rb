# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # Multiples of the time of one job alone.
      TheoreticalTimes = Data.define(:each, :in_all)
    end
  end
end
