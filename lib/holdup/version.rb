# frozen_string_literal: true

module Holdup
  VERSION = "0.1.0"
end
