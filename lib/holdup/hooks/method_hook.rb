# frozen_string_literal: true

require "monitor"
require_relative "signature"

module Holdup
  # The only way into other people's methods.
  module Hooks
    # Puts code of ours around one method of a class or module that is not ours.
    #
    #   MethodHook.new(::Net::HTTP, :request, by: :http, constants: {HoldupCalls: edges}) { |method| <<~RUBY }
    #     HoldupCalls.begin_call
    #     #{method.call}
    #   ensure
    #     HoldupCalls.end_call
    #   RUBY
    #
    # How it works: a method that the class defines itself is kept under a private name of its own, and ours
    # takes its place, in the same class and with the same visibility. It calls the kept one by its private
    # name. A method that the class inherits gets an overriding one in the class, which calls `super`.
    #
    # No prepended module, because `super` in a prepended module calls whatever the class has as its own
    # method. When another library later makes an alias of the method (`alias_method :old, :request`), it
    # gets the prepended one, and when its own `request` calls that alias the two call each other for ever.
    # What ours calls can't change: the private name belongs to this hook alone, and `super` of a class's own
    # method goes up. So any chain of aliases, prepended modules, refinements and overriding subclasses that
    # ends without us ends with us too, and passes our code once.
    #
    # Where another library defines the method anew without calling the earlier one, nothing is measured
    # until `renew`.
    # Where there is nothing to hook, `refusal` says why.
    class MethodHook
      # Methods in C that use their caller's variables, `$~`, `$_`, block, visibility or constants: they would
      # get those of our code.
      BACKREFERENCES = %i[
        =~ === ~ [] []= byteindex byterindex gsub gsub! index last_match match partition rindex rpartition
        scan slice slice! sub sub!
      ].freeze
      OF_CALLERS = {
        "Kernel" => %i[
          __callee__ __dir__ __method__ autoload autoload? binding block_given? caller caller_locations chomp
          chop eval gets gsub iterator? lambda local_variables proc readline readlines require_relative sub
        ],
        "BasicObject" => %i[instance_eval instance_exec],
        "Module" => %i[
          attr attr_accessor attr_reader attr_writer class_eval class_exec constants define_method
          module_eval module_exec module_function nesting private protected public refine ruby2_keywords
          used_modules using
        ],
        "String" => BACKREFERENCES,
        "Symbol" => BACKREFERENCES,
        "Regexp" => BACKREFERENCES,
        "IO" => %i[gets readline readlines],
        "Enumerable" => %i[grep grep_v],
        "Proc" => %i[new]
      }.freeze

      # The class itself may have methods of these names.
      DEFINE = Module.instance_method(:define_method)
      CLASS_EXEC = Module.instance_method(:class_exec)
      VISIBILITIES = %i[public protected private].to_h { |name| [name, Module.instance_method(name)] }.freeze
      FAILURES = [StandardError, ScriptError].freeze
      private_constant :DEFINE, :CLASS_EXEC, :VISIBILITIES, :FAILURES

      # @return [Array<MethodHook>] those in place
      def self.all = REGISTRY.all

      attr_reader :owner, :name, :by

      # @return [String, nil] why there is no hook
      attr_reader :refusal

      # @param owner [Module] may be a singleton class
      # @param name [Symbol]
      # @param by [Symbol, Object] whose hook it is: each has one in a method
      # @param signatures [Array<String>, nil] parameters that the code knows; nil: any
      # @param block [Boolean] whether the method may get a block
      # @param takes [String, nil] parameters that the code takes whatever the method's own are
      # @param constants [Hash{Symbol => Object}] that the code uses
      # @param layer [Boolean] the owner is a module of ours, to be included by a library's own interface: its
      #   method calls `super`, whose parameters are the first of `signatures`
      # @yieldparam method [HookedMethod]
      # @yieldreturn [String] the body of a method. It must not raise
      def initialize(owner, name, by:, signatures: nil, takes: nil, block: true, constants: {}, layer: false,
        &body)
        @owner = owner
        @name = name
        @by = by
        @signatures = signatures
        @takes = takes
        @block = block
        @constants = constants
        @layer = layer
        @body = body
      end

      # Does nothing where it is in place already.
      # @param guard [#not_hooked, nil] gets the reason when there is no hook
      # @return [Boolean] whether it is in place
      def install(guard = nil)
        REGISTRY.synchronize do
          next if covered?
          @refusal = reason_against
          put_in_place unless @refusal
        end
        guard&.not_hooked(title, @refusal) if @refusal
        @refusal.nil?
      rescue *FAILURES => error # the class has a method_added that fails
        raise unless guard
        guard.failed(:hooks, error)
        !@ours.nil?
      end

      # @return [UnboundMethod, nil] the method that ours calls; nil: it is in no class yet
      def original = @known

      # @return [Boolean] whether `method` is what this hook has put in place, or an alias of it
      def put?(method) = !@ours.nil? && @ours == method

      # Puts the hook around a method that another library has defined anew since, without an alias of ours.
      # That method may still call ours (by UnboundMethod#bind_call), so only for a hook whose code may run
      # inside itself.
      # @param guard [#not_hooked, nil] see install
      # @return [void]
      def renew(guard = nil)
        REGISTRY.synchronize do
          next unless lost?
          REGISTRY.hooks_of(@owner).delete(self)
          install(guard)
        end
      end

      # @return [Boolean] whether it is in place or can be
      def possible? = covered? || reason_against.nil?

      # @return [String] "Net::HTTP#request"
      def title
        attached = @owner.attached_object if singleton?
        attached ? "#{attached.inspect}.#{@name}" : "#{@owner.name || @owner.inspect}##{@name}"
      end

      private

      def singleton? = @owner.is_a?(Class) && @owner.singleton_class?

      # The same hook may be there already, perhaps in the class from which it inherits the method or has an
      # alias.
      def covered?
        return true if REGISTRY.of(@owner).any? { |hook| hook.name == @name && hook.by == @by }
        return false if @layer || !defined_here?
        method = own_definition || inherited_method
        hooks = @owner.ancestors.flat_map { |one| REGISTRY.of(one) }
        hooks.any? { |hook| hook.by == @by && hook.put?(method) }
      end

      # The method that a call finds.
      def resolved = @owner.instance_method(@name)

      def defined_here?
        @owner.method_defined?(@name) || @owner.private_method_defined?(@name)
      end

      # Whether the class itself defines it, not a module that is prepended to the class.
      def own? = defines?(@owner)

      def defines?(type)
        type.method_defined?(@name, false) || type.private_method_defined?(@name, false)
      end

      # `instance_method` and `alias_method` find the method of a prepended module first.
      # @return [UnboundMethod, nil] nil: the class does not define it
      def own_method
        return unless own?
        method = resolved
        method = method.super_method until method.nil? || method.owner.equal?(@owner)
        method
      end

      # @return [UnboundMethod, nil] nil, too, where the class has only given an inherited method another
      #   visibility
      def own_definition
        method = own_method or return
        method unless method.original_name == @name && method == inherited_method
      end

      # What `super` in a method of the class calls.
      # @return [UnboundMethod, nil]
      def inherited_method
        above = @owner.ancestors.drop(prepended.size + 1)
        above.find { |one| defines?(one) }&.instance_method(@name)
      end

      # Looks once at what is in the place of ours.
      def lost?
        return false if @ours.nil? || @layer
        method = own_method
        return false if method.nil? || method == @ours || method == @other
        @other = method
        names = @owner.instance_methods(false) + @owner.private_instance_methods(false)
        names.none? { |name| !name.start_with?("holdup_") && @owner.instance_method(name) == @ours }
      end

      def reason_against
        return "its class is frozen" if @owner.frozen?
        return "it belongs to a refinement" if @owner.is_a?(Refinement)
        return if @layer
        return "there is no such method" unless defined_here?
        return "it uses the variables of its caller" if of_caller?
        @kept = own_definition
        @known = @kept || inherited_method
        return "only a module that another library has prepended defines it" unless @known
        "it takes other parameters than Holdup knows: (#{listed(@known.parameters)})" unless signature
      end

      def of_caller?
        method = resolved
        owner = method.owner
        owner = owner.attached_object if owner.is_a?(Class) && owner.singleton_class?
        place = method.source_location&.first
        in_ruby = place && !place.start_with?("<internal:")
        return false if in_ruby || !owner.is_a?(Module)
        !!OF_CALLERS[owner.name]&.include?(@name)
      end

      def listed(parameters)
        parameters.map { |type, name| [type, name].compact.join(" ") }.join(", ")
      end

      # Another library's method around the library's own often takes anything, and passes it on.
      # @return [Signature, KnownSignature, nil] nil: the code does not know it
      def signature
        options = {block: block_name, keywords_in_rest: keywords_in_rest?, flag: flaggable?}
        known = known_signature
        return KnownSignature.new(known, **options) if known
        any = @signatures.nil? || Signature.any?(@known.parameters)
        Signature.new(@known.parameters, **options) if any
      end

      # @return [String, nil]
      def known_signature
        return @takes || @signatures&.first if @takes || @layer
        @signatures&.find { |code| Signature.fits?(@known.parameters, Signature.parameters(code)) }
      end

      # `super` passes on a block by itself.
      def block_name
        declared = @known&.parameters&.assoc(:block)
        return (Signature.usable?(declared.last) ? declared.last.name : "holdup_block") if declared
        "holdup_block" if @block && @kept
      end

      # Whether keywords in a `*rest` are more than a last hash to the method: if it has the flag of
      # `ruby2_keywords`, which Method#parameters shows as `**`, or may be in C.
      def keywords_in_rest?
        @known.nil? || @known.source_location.nil? || @known.parameters.include?(%i[keyrest **])
      end

      # `ruby2_keywords` finds the method of a prepended module first, and refuses.
      def flaggable?
        prepended.none? { |one| defines?(one) }
      end

      def prepended = @owner.ancestors.take_while { |one| !one.equal?(@owner) }

      # A module of ours has public methods.
      def visibility
        return :public if @layer
        own = own?
        return :private if @owner.private_method_defined?(@name, !own)
        @owner.protected_method_defined?(@name, !own) ? :protected : :public
      end

      def put_in_place
        number, hooks = REGISTRY.next_number, REGISTRY.hooks_of(@owner)
        visibility = self.visibility
        ours = signature
        target = @kept ? keep(number) : "super"
        code = code(hooks, ours, HookedMethod.new(ours, target))
        add(@name, code, visibility)
      ensure
        note_place(hooks) if code
      end

      # The method may be in its place although the class's `method_added` has raised.
      def note_place(hooks)
        found = own_definition
        return if found.nil? || found == @kept
        @ours = found
        hooks << self
      end

      # Other threads call the method meanwhile, and `method_added` of its class may call it or raise, so it
      # is complete, with its visibility, when it takes its place.
      # @param visibility [Symbol] of VISIBILITIES
      def add(name, method, visibility)
        owner = @owner
        CLASS_EXEC.bind_call(owner) do
          VISIBILITIES.fetch(visibility).bind_call(owner) # of what this block defines
          DEFINE.bind_call(owner, name, method)
        end
      end

      # @return [String] the private name
      def keep(number)
        readable = @name.match?(/\A\w+[?!]?\z/) ? "_#{@name}" : ""
        name = :"holdup_#{number}#{readable}"
        add(name, @kept, :private)
        VISIBILITIES.fetch(:private).bind_call(@owner, name) # raises when `method_added` has removed it
        name.name
      end

      # The code is a string, because a block would make a Proc of the block that a call comes with. Constants
      # are found in the module around the code and in the one around that, not in the class, whose method it
      # becomes.
      # @param hooks [Array<MethodHook>] of the class, which the code keeps alive
      # @return [UnboundMethod]
      def code(hooks, ours, method)
        space = Module.new
        constants = {HoldupHooks: hooks, HoldupUnset: Signature::UNSET, **@constants}
        constants.each { |name, value| space.const_set(name, value) }
        space.module_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          module Code
            def #{@name}(#{ours.definition})
              #{@body.call(method)}
            end
          end
        RUBY
        space::Code.send(:ruby2_keywords, @name) if ours.flag?
        space::Code.instance_method(@name)
      end
    end

    class MethodHook
      # What is hooked, which is a fact of the whole process. A class that is reloaded can be collected.
      class Registry
        def initialize
          @lock = Monitor.new # a class's method_added may install another hook
          @by_owner = ObjectSpace::WeakMap.new
          @added = 0
        end

        def synchronize(&) = @lock.synchronize(&)

        # @return [Integer] no two hooks have the same, also in classes that inherit from each other
        def next_number = @added += 1

        # @return [Array<MethodHook>] to which a class's next hook is added
        def hooks_of(owner) = @by_owner[owner] ||= []

        # @return [Array<MethodHook>]
        def of(owner) = @by_owner[owner] || []

        def all = @by_owner.values.flatten
      end

      REGISTRY = Registry.new
      private_constant :Registry, :REGISTRY
    end

    # The method that a hook's body calls.
    class HookedMethod
      # @return [String] name of the method to call, or "super"
      attr_reader :target

      def initialize(signature, target)
        @signature = signature
        @target = target
      end

      # @return [String] an expression that calls the method with what was given
      def call = @signature.call(@target)

      # @return [String] an array of the positional arguments
      def given = @signature.given

      # @return [String] the positional argument at that place
      def positional(index) = @signature.positional(index)

      # @return [String, nil] name of the parameter for the block
      def block = @signature.block
    end
  end
end
