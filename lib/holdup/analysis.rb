# frozen_string_literal: true

module Holdup
  # Windows in, figures out: pure functions without clock, environment or store.
  module Analysis
  end
end
