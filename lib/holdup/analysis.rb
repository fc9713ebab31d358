# frozen_string_literal: true

require_relative "analysis/amdahl"
require_relative "analysis/slices"
require_relative "analysis/summary"
require_relative "analysis/verdict"

module Holdup
  # Windows in, figures out: pure functions without clock, environment or store.
  module Analysis
  end
end
