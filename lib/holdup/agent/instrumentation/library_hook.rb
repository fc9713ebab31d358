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

      # A library that has no hook: a module is prepended, if its methods have the parameters that they had in
      # the versions named there.
      class PrependedHook < LibraryHook
        # Kinds that are remembered: the probe knows fewer.
        MOST_KINDS = 100

        # @param signatures [Hash{Symbol => Array}] of methods: see Method#parameters
        def self.known?(owner, signatures)
          signatures.all? { |name, parameters| owner.instance_method(name).parameters == parameters }
        end

        def initialize(recorder)
          super
          @kinds = {}
        end

        # @param system [String] "http"
        # @return [Integer, nil]
        def kind_of(system, host)
          @kinds[host] || remember(host) { "#{system} #{host}".strip }
        end

        private

        def remember(host, &)
          found = kind(&)
          @kinds[host.dup.freeze] = found if @kinds.size < MOST_KINDS
          found
        end
      end

      # A module to prepend or include, whose methods are calls. They are code and not blocks, which would
      # make a Proc of the block that a call comes with.
      class CallMethods < Module
        # @param library [LibraryHook]
        # @param edges [#begin_call, #end_call]
        def initialize(library, edges)
          super()
          const_set(:HoldupLibrary, library)
          const_set(:HoldupCalls, edges)
          private_constant :HoldupLibrary, :HoldupCalls
        end

        # @param parameters [String] "item"
        # @param kind [String] code with HoldupLibrary and the parameters: a kind, or nil
        # @return [Symbol]
        def add(name, parameters, kind)
          define(name, parameters, "HoldupCalls.begin_call", "HoldupCalls.end_call(#{kind}, failed)")
        end

        # Asks for the kind before the call begins. Without a kind nothing is recorded for this method, only
        # for calls that it makes.
        # @return [Symbol]
        def add_if(name, parameters, kind)
          define(name, parameters, <<~RUBY, "HoldupCalls.end_call(kind, failed) if kind")
            kind = #{kind} or return super
            HoldupCalls.begin_call
          RUBY
        end

        private

        def define(name, parameters, begins, ends)
          class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
            def #{name}(#{parameters})
              #{begins}
              failed = true
              result = super
              failed = false
              result
            ensure
              #{ends}
            end
          RUBY
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
