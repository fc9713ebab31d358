# frozen_string_literal: true

require "holdup/agent/guard"
require "holdup/hooks/method_hook"
require_relative "collected_log"
require_relative "method_neighbours"

# Puts layers of other libraries around a method in many orders, and a hook at each moment between them: each
# call passes what it passes without Holdup, and counts once. It needs no test around it, so that a small Ruby
# of its own can run it.
class HookOrders
  LAYERS = %i[alias_chain prepended refined subclass subclass_with_alias above_alias above_prepended].freeze
  VISIBILITIES = %i[public protected private].freeze
  KINDS = %w[own inherited included].freeze
  Counter = Struct.new(:count) { def hit = self.count += 1 }

  # A method of a visibility that is the class's own, inherited or included, with layers in this order.
  Order = Data.define(:visibility, :kind, :layers) do
    def to_s = "#{visibility}, #{kind}, #{layers}"
  end

  # @return [CollectedLog] of the hooks' guard
  attr_reader :log

  # @return [Integer] in how many orders a hook was tried
  attr_reader :tried

  def initialize(random)
    @random = random
    @counter = Counter.new(0)
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    @tried = 0
  end

  # Except where calls fail without Holdup, of the class or of the one that it inherits from.
  # @return [Array<String>] each is a sentence; empty: every call counts once
  def breaches
    VISIBILITIES.product(KINDS).flat_map do |visibility, kind|
      orders.flat_map { |layers| breaches_in(Order.new(visibility:, kind:, layers:)) }
    end
  end

  private

  def orders
    pairs, triples = [2, 3].map { |size| LAYERS.permutation(size).to_a }
    [[], *LAYERS.permutation(1), *pairs.sample(25, random: @random), *triples.sample(5, random: @random)]
  end

  def breaches_in(order)
    expected = run(order, order.layers, [])
    return [] if [expected, run(order, above(order.layers), [])].include?(:broken)
    moments = [*(0..order.layers.size).zip, [0, order.layers.size]]
    @tried += moments.size
    moments.filter_map do |hooked_at|
      found = breach(order, hooked_at, expected)
      "#{order}, hooked at #{hooked_at}: #{found}" if found
    end
  end

  def breach(order, hooked_at, expected)
    @counter.count = 0
    found = run(order, order.layers, hooked_at)
    return "the call fails" if found == :broken
    return "gave #{found.first}, not #{expected.first}" unless found.first == expected.first
    passed = passed(order, found.last, expected.last)
    return "passed #{passed}, not #{expected.last}" unless passed == expected.last
    "counted #{@counter.count} times" unless expected_counts(order.layers, hooked_at).include?(@counter.count)
  end

  # Classes in which a method is defined, inherited from a class, or from a module.
  # @return [Array(Class, Module)] the class, and what defines the method
  def toy(order)
    visibility = order.visibility
    body = proc do
      class_eval("def m(a, b = :b, *c, d: :d, &block) = [a, b, c, d, block&.call]", __FILE__, __LINE__)
      send(visibility, :m)
    end
    return [Class.new(&body)] * 2 if order.kind == "own"
    above = (order.kind == "inherited") ? Class.new(&body) : Module.new(&body)
    [(order.kind == "inherited") ? Class.new(above) : Class.new { include(above) }, above]
  end

  # Puts layers around a class, and hooks it at those moments.
  # @return [Array, Symbol] what a call gives, and the layers that it passed; :broken
  def run(order, layers, hooked_at)
    type, above = toy(order)
    receiver = type
    call = ->(one) { one.__send__(:m, 1, d: 2) { 3 } }
    passed = []
    layers.each_with_index do |layer, index|
      install(type) if hooked_at.include?(index)
      note = -> { passed << layer }
      case layer
      when :alias_chain, :prepended then MethodNeighbours.public_send(layer, type, :m, &note)
      when :above_alias then MethodNeighbours.alias_chain(above, :m, &note)
      when :above_prepended then MethodNeighbours.prepended(above, :m, &note)
      when :refined
        refined = MethodNeighbours.refined(type, :m, &note)
        call = ->(one) { refined.call(one, :m, [1], {d: 2}, -> { 3 }) }
      else receiver = MethodNeighbours.public_send(layer, receiver, :m, &note)
      end
    end
    install(type) if hooked_at.include?(layers.size)
    [call.call(receiver.new), passed]
  rescue SystemStackError, NoMethodError
    :broken
  end

  def install(type)
    hook = Holdup::Hooks::MethodHook.new(type, :m, by: self, constants: {HoldupCounter: @counter}) do |method|
      "HoldupCounter.hit\n#{method.call}"
    end
    hook.install(@guard) or raise "not hooked: #{hook.refusal}"
  end

  # What is put around the method of the class above.
  def above(layers) = layers.select { |layer| layer.start_with?("above") }

  # The same layers in the same order. An alias of our method, which calls `super`, also passes what is put
  # around the inherited method later; an alias of the inherited method itself would not.
  # @return [Array<Symbol>] of the layers that a call passed, those that are compared
  def passed(order, found, expected)
    return found if order.kind == "own"
    found.select { |layer| expected.include?(layer) || !layer.start_with?("above") }
  end

  # An alias in a subclass that is made before the hook may have what was there.
  def expected_counts(layers, hooked_at)
    layers.first(hooked_at.first).include?(:subclass_with_alias) ? [0, 1] : [1]
  end
end
