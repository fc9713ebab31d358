# frozen_string_literal: true

require_relative "../inquiry/nearest"

module Holdup
  class CLI
    # What is asked for in words and read from a store is the same for every surface.
    Nearest = Inquiry::Nearest
  end
end
