# frozen_string_literal: true

module Holdup
  # Root of everything Holdup raises. A subclass takes facts and composes one sentence that says what happened
  # and what to do; the CLI prints exactly that sentence, so nobody has to read a backtrace to get on.
  class Error < StandardError
    # @return [String, nil] what happened
    attr_reader :problem
    # @return [String, nil] what to do about it
    attr_reader :advice

    # @param problem [String] where it is a sentence, its full stop makes room for the advice
    # @param advice [String, nil]
    def initialize(problem = nil, advice = nil)
      problem = problem.sub(/[.。;]+\z/, "") if problem && advice
      @problem = problem
      @advice = advice
      super([problem, advice].compact.join("; ")) if problem || advice
    end
  end
end
