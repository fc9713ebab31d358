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

  # The user asked for something we can't understand (exit status 2).
  class UsageError < Error; end

  # Something that works elsewhere can't work on this Ruby or system.
  class UnsupportedError < Error; end

  # Bytes that claim to be ours and are not (a damaged histogram, an unreadable setting).
  class DamagedData < Error; end

  # A setting of Holdup itself has a value it can't have.
  class ConfigurationError < Error
    # @param key [Symbol, String] the setting
    # @param value [Object] what it was given
    # @param expected [String] what it takes, e.g. "a number of seconds above 0"
    def initialize(key:, value:, expected:)
      super("#{key} can't be #{value.inspect[0, 200]}", "give #{expected}")
    end
  end
end

require_relative "errors/segment_error"
require_relative "errors/store_error"
