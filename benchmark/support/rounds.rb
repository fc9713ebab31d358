# frozen_string_literal: true

require "holdup/loader"

module Bench
  Rounds = Holdup::Lab::Arm::Rounds
end
