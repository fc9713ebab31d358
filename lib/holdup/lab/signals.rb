# frozen_string_literal: true

module Holdup
  module Lab
    # Who presses Ctrl-C twice must not leave servers behind: the first signal ends the block as usual, and
    # while its processes are being ended, which is bounded, further ones do nothing.
    module Signals
      NAMES = %w[INT TERM HUP].freeze

      # @return [Object] the block's value
      # @raise [SignalException] for the first signal
      def self.first_only
        previous = NAMES.to_h { |name| [name, trap(name) { first(name) }] }
        yield
      ensure
        previous&.each { |name, handler| trap(name, handler || "DEFAULT") }
      end

      # What must not be torn apart, such as a process's start and the note of its pid: a signal waits for the
      # block's end.
      # @return [Object] the block's value
      # @raise [SignalException] for a signal that came meanwhile
      def self.later
        early = nil
        previous = NAMES.to_h { |name| [name, trap(name) { early ||= name }] }
        yield
      ensure
        previous&.each { |name, handler| trap(name, handler || "DEFAULT") }
        Process.kill(early, Process.pid) if early
      end

      def self.first(name)
        NAMES.each { |each| trap(each, "IGNORE") }
        raise SignalException, name
      end
      private_class_method :first
    end
  end
end
