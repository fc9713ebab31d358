# frozen_string_literal: true

module Holdup
  # Where Holdup says what a person should know: an IO, a Logger (anything with a public `warn`), or nothing.
  class Log
    PREFIX = "holdup: "

    # @yieldreturn [#warn, IO, nil] the target; asked for each line, because an application sets its logger
    #   late
    def initialize(&target)
      @target = target
    end

    # @param message [String] one line
    # @return [nil]
    def warn(message) = say(:warn, message)

    # Something that is as it should be; a target without levels gets it too.
    # @param message [String] one line
    # @return [nil]
    def info(message) = say(:info, message)

    private

    # A closed or broken stream is no reason to stop the application.
    def say(level, message)
      line = "#{PREFIX}#{message}"
      target = @target.call
      if target.respond_to?(:warn)
        target.public_send(target.respond_to?(level) ? level : :warn, line)
      else
        target&.write("#{line}\n")
      end
      nil
    rescue SystemCallError, IOError
      nil
    end
  end
end
