# frozen_string_literal: true

module Holdup
  # Where Holdup says what a person should know: an IO, a Logger (anything with a public `warn`), or nothing.
  class Log
    PREFIX = "holdup: "

    # @yieldreturn [#warn, IO, nil] the target; asked for each line, because an application sets its logger late
    def initialize(&target)
      @target = target
    end

    # @param message [String] one line
    # @return [nil]
    def warn(message)
      line = "#{PREFIX}#{message}"
      target = @target.call
      if target.respond_to?(:warn)
        target.warn(line)
      else
        target&.write("#{line}\n")
      end
      nil
    end
  end
end
