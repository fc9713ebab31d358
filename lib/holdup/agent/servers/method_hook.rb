# frozen_string_literal: true

module Holdup
  module Servers
    # A module to prepend to a server's class: calls back before or after the server's own methods. Arguments,
    # block and value pass through unchanged, and private methods stay private.
    #
    #   ::Falcon::Server.prepend(MethodHook.new(before: {run: ->(server, *) { serving(server) }}))
    #
    # A callback gets the receiver and the positional arguments. It runs in the application and must guard
    # itself.
    class MethodHook < Module
      # callback before it runs => @param before [Hash{Symbol => #call}] method => callback
      # callback when it has returned => @param after [Hash{Symbol => #call}] method => callback
      # @param hidden [Array<Symbol>] private methods
      def initialize(before: {}, after: {}, hidden: [])
        super()
        (before.keys | after.keys).each { |name| wrap(name, before[name], after[name]) }
        private(*hidden) if hidden.any?
      end

      private

      def wrap(name, before, after)
        define_method(name) do |*arguments, **options, &block|
          before&.call(self, *arguments)
          value = super(*arguments, **options, &block)
          after&.call(self, *arguments)
          value
        end
      end
    end
  end
end
