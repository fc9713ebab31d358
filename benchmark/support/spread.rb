# frozen_string_literal: true

require "holdup/lab/spread"

module Bench
  Spread = Holdup::Lab::Spread
end
