# frozen_string_literal: true

module Holdup
  # Holdup's messages, to an IO, a Logger (anything with a public `warn`), or nowhere.
  class Log
    PREFIX = "holdup: "

    # @yieldreturn [#warn, IO, nil] called for each line, because an application sets its logger late
    def initialize(&target)
      @target = target
    end

    def warn(message) = write(:warn, message)

    # A target without levels gets it too.
    def info(message) = write(:info, message)

    private

    # A closed or broken stream must not stop the application.
    def write(level, message)
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
