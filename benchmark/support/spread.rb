# frozen_string_literal: true

require "holdup/loader"

module Bench
  Spread = Holdup::Lab::Spread
end
