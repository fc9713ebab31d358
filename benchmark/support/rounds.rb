# frozen_string_literal: true

require "holdup/lab/rounds"

module Bench
  Rounds = Holdup::Lab::Rounds
end
