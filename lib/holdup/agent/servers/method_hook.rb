# frozen_string_literal: true

module Holdup
  module Servers
    # Stands in front of a server's own methods (`prepend`) and tells its adapter of their calls. The one
    # place for what such a method owes the server: whatever a version of it passes in and gives back goes
    # through, and what was private stays so.
    #
    #   ::Falcon::Server.prepend(Hook.new(before: {run: ->(server, *) { serving(server) }}))
    #
    # A teller gets the receiver and the method's own arguments. It runs in the application: it has to guard
    # itself.
    class MethodHook < Module
      # @param before [Hash{Symbol => #call}] method => who is told before it runs
      # @param after [Hash{Symbol => #call}] method => who is told when it has returned
      # @param hidden [Array<Symbol>] those that are private
      def initialize(before: {}, after: {}, hidden: [])
        super()
        (before.keys | after.keys).each { |name| stand_before(name, before[name], after[name]) }
        private(*hidden) if hidden.any?
      end

      private

      def stand_before(name, first, last)
        define_method(name) do |*arguments, **options, &block|
          first&.call(self, *arguments)
          value = super(*arguments, **options, &block)
          last&.call(self, *arguments)
          value
        end
      end
    end
  end
end
