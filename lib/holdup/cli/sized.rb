# frozen_string_literal: true

require_relative "../inquiry/sized"

module Holdup
  class CLI
    # What is asked for in words and read from a store is the same for every surface.
    Sized = Inquiry::Sized
  end
end
