# frozen_string_literal: true

# What other libraries do with a method that Holdup hooks: each puts a layer around it, without Holdup's help.
module MethodNeighbours
  # A class of its own for calls with a refinement, which is active in the file that uses it.
  CALL_REFINED = <<~RUBY
    using(MethodNeighbours.refinement)
    ->(receiver, name, arguments, options, block) { receiver.__send__(name, *arguments, **options, &block) }
  RUBY

  class << self
    # The refinement that the next code uses.
    attr_reader :refinement

    # As other libraries that are loaded late: two alias chains, a refinement and a prepended module around
    # each method that Holdup hooks in this process.
    def wrap_hooked_methods(hooks = Holdup::Hooks::MethodHook.all)
      methods = hooks.select(&:original).map { |hook| [hook.owner, hook.name] }.uniq
      methods.each { |owner, name| wrap(owner, name) }
    end

    # @param last [Boolean] whether no alias chain follows: of a prepended method it would call itself for
    #   ever, without Holdup too
    def wrap(owner, name, last: true)
      refined(owner, name) { nil }
      prepended = owner.ancestors.take_while { |one| one != owner }
      defined = prepended.any? { |one| one.method_defined?(name) || one.private_method_defined?(name) }
      2.times { alias_chain(owner, name) { nil } } unless defined
      prepended(owner, name) { nil } if last
    end

    # A layer holds on to all that its block sees, for as long as its method may be called. Ruby goes through
    # its whole heap at each change of a refinement, so that thousands of layers would take longer and longer.
    # @yield puts layers around methods that nobody calls later
    # @return [Object] the block's value
    def for_a_while
      kept = constants(false)
      yield
    ensure
      (constants(false) - kept).each { |name| remove_const(name) }
      @refinement = nil
    end

    # @yield when the layer is passed
    def alias_chain(owner, name, &passed)
      old = :"#{name.to_s.gsub(/\W/, "_")}_before_alias_#{passed.object_id}"
      visibility = visibility(owner, name)
      owner.alias_method(old, name)
      redefine(owner, name, passed, "__send__(#{old.inspect}, *arguments, **options, &block)")
      owner.send(visibility, name)
    end

    def prepended(owner, name, &passed)
      layer = Module.new
      redefine(layer, name, passed, "super")
      layer.send(visibility(owner, name), name)
      owner.prepend(layer)
    end

    # @return [#call] calls the method of a receiver where the refinement is active
    def refined(owner, name, &passed)
      refinements, call = empty_refinements([owner])
      fill(refinements, owner, name, &passed)
      call
    end

    # Each time that one becomes active, Ruby goes through its whole heap: so many of them do at once.
    # @param owners [Array<Module>]
    # @return [Array(Module, #call)] refinements of all of these, without a method yet, and what calls a
    #   method of a receiver where they are active
    def empty_refinements(owners)
      @refinement = Module.new { owners.each { |owner| refine(owner) { nil } } }
      [@refinement, RubyVM::InstructionSequence.compile(CALL_REFINED, "refined").eval]
    end

    # @param refinements [Module] with one of this owner
    # @return [void]
    def fill(refinements, owner, name, &passed)
      neighbours = self
      visibility = visibility(owner, name)
      refinements.module_eval do
        refine(owner) { neighbours.send(:redefine, self, name, passed, "super", visibility:) }
      end
    end

    # @param owner [Class]
    # @return [Class]
    def subclass(owner, name, &passed)
      visibility = visibility(owner, name)
      Class.new(owner).tap do |type|
        redefine(type, name, passed, "super")
        type.send(visibility, name)
      end
    end

    # A subclass that makes an alias of what it inherits.
    def subclass_with_alias(owner, name, &passed)
      Class.new(owner).tap { |type| alias_chain(type, name, &passed) }
    end

    def visibility(owner, name)
      return :private if owner.private_method_defined?(name)
      owner.protected_method_defined?(name) ? :protected : :public
    end

    private

    # A refinement's method gets its visibility at once, since another one would be one more change.
    def redefine(owner, name, passed, call, visibility: :public)
      constant = :"PASSED_#{passed.object_id}"
      MethodNeighbours.const_set(constant, passed) unless MethodNeighbours.const_defined?(constant, false)
      earlier = $VERBOSE
      $VERBOSE = nil # it is not what is tested
      owner.class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
        #{visibility}
        def #{name}(*arguments, **options, &block)
          ::MethodNeighbours::#{constant}.call
          #{call}
        end
      RUBY
    ensure
      $VERBOSE = earlier
    end
  end
end
