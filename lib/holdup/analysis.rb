# frozen_string_literal: true

module Holdup
  # Pure functions from windows to figures: no clock, no environment, no store.
  module Analysis
  end
end
