# frozen_string_literal: true

require "holdup/hooks/method_hook"
require "support/method_neighbours"

# What holds for each hooked method, whatever other libraries do with it: a call ends, gives what the method
# gives, passes every layer once, and passes Holdup once. It runs the hook's own code in a copy of the class,
# where a method with the same parameters that notes its calls is in the place of the library's.
class HookedMethodContract
  LAYERS = %i[alias_chain prepended refined subclass subclass_with_alias].freeze
  Outcome = Data.define(:layers, :runs, :hooks)

  # The contract whose method runs.
  class << self
    attr_accessor :current
  end

  def initialize(hook)
    @hook = hook
    @name = hook.name
    @parameters = hook.original.parameters
  end

  # @return [Array<String>] each is a sentence; empty: the contract holds
  def breaches = MethodNeighbours.for_a_while { breaches_of_orders }

  # The library's method in the copy.
  def run
    @runs += 1
    self
  end

  private

  def breaches_of_orders
    tried = 0
    prepare_refined
    found = orders.flat_map do |order|
      expected = outcome(order, [])
      next [] unless expected.is_a?(Outcome) # other libraries alone break the method
      tried += moments(order).size
      moments(order).filter_map { |hooked_at| breach(order, hooked_at, expected) }
    end
    (tried < 10) ? ["#{@hook.title}: only #{tried} orders could be tried", *found] : found
  end

  def orders = [1, 2].flat_map { |size| layers.permutation(size).to_a }

  # @return [Array<Array<Integer>>] before which layers it is hooked
  def moments(order) = [*(0..order.size).zip, [0, order.size]]

  # The copies that will be refined, with refinements that get their method when it is their turn.
  def prepare_refined
    refined = orders.select { |order| order.include?(:refined) }
    tries = refined.flat_map { |order| [[], *moments(order)].map { |hooked_at| [order, hooked_at] } }
    @copies = tries.to_h { |try| [try, copy] }
    @refinements, @call_refined = MethodNeighbours.empty_refinements(@copies.values.map(&:first))
  end

  def singleton? = @hook.owner.is_a?(Class) && @hook.owner.singleton_class?

  # A singleton class has no subclasses.
  def layers = singleton? ? LAYERS.grep_v(/subclass/) : LAYERS

  def breach(order, hooked_at, expected)
    found = outcome(order, hooked_at)
    what = "#{@hook.title}, #{order.join(", ")}, hooked at #{hooked_at.join(" and ")}"
    return "#{what}: #{found}" unless found.is_a?(Outcome)
    return "#{what}: passed #{found.layers}, not #{expected.layers}" unless found.layers == expected.layers
    return "#{what}: the method ran #{found.runs} times" unless found.runs == 1
    # An alias in a subclass that is made before the hook has the method of the library.
    passed = order.first(hooked_at.first).include?(:subclass_with_alias) ? [0, 1] : [1]
    "#{what}: passed Holdup #{found.hooks} times" unless passed.include?(found.hooks)
  end

  # @return [Outcome, String] a String when the call failed
  def outcome(order, hooked_at)
    @runs = 0
    @layers = []
    @ours = []
    owner, receiver = @copies.delete([order, hooked_at]) || copy
    type = owner
    call = ->(one) { one.__send__(@name, *arguments, **keywords) }
    order.each_with_index do |layer, index|
      hook(owner) if hooked_at.include?(index)
      note = -> { @layers << layer }
      case layer
      when :alias_chain, :prepended then MethodNeighbours.public_send(layer, owner, @name, &note)
      when :refined
        MethodNeighbours.fill(@refinements, owner, @name, &note)
        call = ->(one) { @call_refined.call(one, @name, arguments, keywords, nil) }
      else type = MethodNeighbours.public_send(layer, concrete(type), @name, &note)
      end
    end
    hook(owner) if hooked_at.include?(order.size)
    called(call, receiver || concrete(type).allocate)
  end

  def called(call, receiver)
    hooks = 0
    here = Thread.current
    passes = @ours.map { |method| trace(method) { hooks += 1 if here == Thread.current } }
    HookedMethodContract.current = self
    value = call.call(receiver)
    value.equal?(self) ? Outcome.new(layers: @layers, runs: @runs, hooks:) : "gave #{value.inspect}"
  rescue SystemStackError, StandardError => error
    "#{error.class}: #{error.message[0, 200]}"
  ensure
    passes&.each(&:disable)
  end

  # Of one method: a TracePoint of all methods goes through the whole heap when it begins and when it ends,
  # which would be most of what the thousands of calls cost.
  def trace(method, &passed) = TracePoint.new(:call, &passed).tap { |point| point.enable(target: method) }

  # @return [Array(Module, Object)] a copy of the hooked class without the hook, and of the object, if it is a
  #   singleton class
  def copy
    object = @hook.owner.attached_object.dup if singleton?
    owner = object ? object.singleton_class : copy_of_class
    define_original(owner)
    [owner, object]
  end

  # A class in C may have no `allocate`; an empty class is in its place.
  def copy_of_class
    @hook.owner.allocate if @hook.owner.is_a?(Class)
    @hook.owner.dup
  rescue TypeError
    Class.new
  end

  def concrete(type) = type.is_a?(Class) ? type : Class.new { include(type) }

  # The method that is put in place is noted where it is made: once it is refined, a TracePoint does not take
  # what its class has.
  def hook(owner)
    ours = @ours
    copy = @hook.dup.tap { |hook| hook.instance_variable_set(:@owner, owner) }
    copy.define_singleton_method(:code) { |*parts| super(*parts).tap { |method| ours << method } }
    copy.install or raise "#{@hook.title} is not hooked: #{copy.refusal}"
  end

  def define_original(owner)
    code = @parameters.each_with_index.map { |(type, name), index| parameter(type, name, index) }
    earlier = $VERBOSE
    $VERBOSE = nil # it is there already
    code = "def #{@name}(#{code.join(", ")})\n::HookedMethodContract.current.run\nend"
    owner.class_eval(code, __FILE__, __LINE__)
    owner.send(MethodNeighbours.visibility(@hook.owner, @name), @name)
  ensure
    $VERBOSE = earlier
  end

  def parameter(type, name, index)
    name = "p#{index}" unless Holdup::Hooks::Signature.usable?(name)
    {req: name, opt: "#{name} = nil", rest: "*#{name}", keyreq: "#{name}:", key: "#{name}: nil",
     keyrest: "**#{name}", nokey: "**nil", block: "&#{name}"}.fetch(type)
  end

  def arguments
    Array.new(@parameters.count { |type, _| type == :req }) { |index| "argument #{index}" }
  end

  def keywords
    @parameters.filter_map { |type, name| [name, name.name] if type == :keyreq }.to_h
  end
end
