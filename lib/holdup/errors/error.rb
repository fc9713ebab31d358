# frozen_string_literal: true

module Holdup
  # Root of everything Holdup raises. A subclass takes facts and composes one sentence that says what happened and what
  # to do; the CLI prints exactly that sentence, so nobody has to read a backtrace to get on.
  class Error < StandardError
    # @param problem [String] what happened
    # @param advice [String, nil] what to do about it
    def initialize(problem = nil, advice = nil)
      super([problem, advice].compact.join("; ")) if problem || advice
    end
  end
end
