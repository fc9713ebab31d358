# frozen_string_literal: true

module Holdup
  module Lab
    # Who presses Ctrl-C twice must not leave servers behind: the first signal ends the block as usual, and while its
    # processes are being ended, which is bounded, further ones do nothing.
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

      def self.first(name)
        NAMES.each { |each| trap(each, "IGNORE") }
        raise SignalException, name
      end
      private_class_method :first
    end
  end
end
