# frozen_string_literal: true

require_relative "analysis/amdahl"
require_relative "analysis/quantile_bands"
require_relative "analysis/summary"
require_relative "analysis/stall_verdict"

module Holdup
  # Windows in, figures out: pure functions without clock, environment or store.
  module Analysis
  end
end
