# frozen_string_literal: true

module Holdup
  module Instrumentation
    class Calls
      # What a library's hook needs. `loaded?` and `install` are the library's own.
      class LibraryHook
        # @param recorder [Recorder]
        def initialize(recorder)
          @recorder = recorder
          @edges = recorder.call_edges
          @guard = recorder.guard
        end

        # Measures a block as one call, also when it raises.
        # @param kind [Integer, nil] of Recorder#call_kind
        # @return [Object] the block's value
        def measure(kind)
          @edges.begin_call
          done = false
          value = yield
          done = true
          value
        ensure
          @edges.end_call(kind, !done)
        end

        # @yieldreturn [String, nil] what is called
        # @return [Integer, nil] nil when the block fails
        def kind
          @guard.call(:calls) { @recorder.call_kind(yield) }
        end
      end

      # A private method of a library that each call passes through. One of ours takes its place and calls it,
      # for a subscription to the notification that it sends is several times as expensive.
      #
      # An alias and no prepended module: an APM that makes an alias of the method later (as Scout of `log`)
      # would let a prepended one call itself without end.
      class ReplacedMethod
        # @param owner [Class] whose own method it is
        # @param name [Symbol]
        def initialize(owner, name)
          @owner = owner
          @name = name
        end

        # What the code of ours calls.
        def original = :"holdup_original_#{@name}"

        def replaced? = @owner.private_method_defined?(original)

        # @param codes [Array<String>] of methods of that name
        # @return [String, nil] the one with the parameters of the original
        def fitting(codes)
          return unless @owner.private_method_defined?(@name, false)
          known = @owner.instance_method(@name)
          return unless known.owner.equal?(@owner) # another gem has replaced it
          codes.find { |code| parameters(code) == known.parameters }
        end

        # @param constants [Hash{Symbol => Object}] that the code uses
        def replace(code, constants)
          constants.each do |constant, value|
            @owner.const_set(constant, value) unless @owner.const_defined?(constant, false)
          end
          @owner.alias_method(original, @name)
          @owner.class_eval(code, __FILE__, __LINE__)
          @owner.send(:private, @name, original)
        end

        private

        def parameters(code)
          Module.new { class_eval(code, __FILE__, __LINE__) }.instance_method(@name).parameters
        end
      end
    end
  end
end
