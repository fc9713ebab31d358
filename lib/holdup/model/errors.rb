# frozen_string_literal: true

require_relative "errors/error"
require_relative "errors/segment_error"
require_relative "errors/store_error"

module Holdup
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
