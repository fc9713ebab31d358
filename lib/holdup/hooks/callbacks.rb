# frozen_string_literal: true

require_relative "method_hook"
require_relative "when_loaded"

module Holdup
  module Hooks
    # Calls back before or after methods of a class that is not ours. Arguments, block and value pass through
    # unchanged. A callback gets the receiver and the positional arguments. A failure of a callback goes to
    # the guard, never to the class's caller.
    #
    #   Callbacks.install(::Falcon::Server, by: :falcon, guard:, before: {run: ->(one) { serving(one) }})
    class Callbacks
      # @param owner [Module] may not be loaded yet, see WhenLoaded
      # @param by [Symbol] place for the guard
      # @param key [Object] each has its callbacks in a method once
      # @param before [Hash{Symbol => #call}] method => what to call before it
      # @param after [Hash{Symbol => #call}] method => what to call when it has returned
      # @return [void]
      def self.install(owner, by:, guard:, key: by, before: {}, after: {})
        new(owner, by, guard, key, before, after).install
      end

      # @return [Boolean] whether methods of it have callbacks from there
      def self.installed?(owner, by)
        MethodHook.all.any? { |hook| hook.owner.equal?(owner) && hook.by == by }
      end

      def initialize(owner, by, guard, key, before, after)
        @owner = owner
        @by = by
        @guard = guard
        @key = key
        @before = before
        @after = after
      end

      # @return [void]
      def install
        WhenLoaded.call(@owner, @by, @guard) { hook }
      end

      private

      def hook
        (@before.keys | @after.keys).each do |name|
          around = Around.new(@guard, @by, @before[name], @after[name])
          MethodHook.new(@owner, name, by: @key, constants: {HoldupAround: around}) do |method|
            <<~RUBY
              HoldupAround.before(self, #{method.given})
              holdup_result = #{method.call}
              HoldupAround.after(self, #{method.given})
              holdup_result
            RUBY
          end.install(@guard)
        end
      end

      # The callbacks of one method.
      class Around
        def initialize(guard, place, before, after)
          @guard = guard
          @place = place
          @before = before
          @after = after
        end

        def before(receiver, arguments)
          @guard.call(@place) { @before.call(receiver, *arguments) } if @before
        end

        def after(receiver, arguments)
          @guard.call(@place) { @after.call(receiver, *arguments) } if @after
        end
      end
    end
  end
end
