# frozen_string_literal: true

require_relative "method_hook"

module Holdup
  module Hooks
    # Runs a block once a class has its methods: at once, or, while the class has none of its own (Ruby has
    # only begun to read it, as under `holdup exec`), before its first object is made. A module is complete
    # when it is first included.
    class WhenLoaded
      USES = {Class => %i[new], Module => %i[included extended]}.freeze

      # @param owner [Module]
      # @param place [Symbol] for the guard
      # @return [void]
      def self.call(owner, place, guard, &block)
        empty = owner.instance_methods(false).empty? && owner.private_instance_methods(false).empty?
        empty ? new(owner, place, guard, block).install : guard.call(place, &block)
      end

      def initialize(owner, place, guard, block)
        @owner = owner
        @place = place
        @guard = guard
        @block = block
      end

      # @return [void]
      def install
        USES.fetch(@owner.class) { [] }.each do |name|
          MethodHook.new(@owner.singleton_class, name, by: self, constants: {HoldupLoaded: self}) do |method|
            <<~RUBY
              HoldupLoaded.used
              #{method.call}
            RUBY
          end.install(@guard)
        end
      end

      # Runs the block, but not again.
      def used
        block = @block or return
        @block = nil
        @guard.call(@place, &block)
      end
    end
  end
end
