# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/hooks/method_hook"

class Holdup::Hooks::MethodHookTest < Minitest::Test
  MethodHook = Holdup::Hooks::MethodHook
  Counter = Struct.new(:count) { def hit = self.count += 1 }

  def setup
    @counter = Counter.new(0)
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
  end

  def hook(owner, name, by: self, counter: @counter, **options)
    MethodHook.new(owner, name, by:, constants: {HoldupCounter: counter}, **options) do |method|
      "HoldupCounter.hit\n#{method.call}"
    end
  end

  def install(...) = assert(hook(...).install(@guard), @log.lines.join)

  # --- what a caller sees ---

  SIGNATURES = [
    "", "a", "a, b", "a = :default", "a, b = :default, c = [a, b]", "a = 1, b = 2, c", "*a", "a, *b, c",
    "a, b = 2, *c, d",
    "a:", "a: 1", "a, b: 2", "a, b = 2, *c, d:, e: 5, **f", "**a", "*a, **b", "*, **, &", "...", "a, **nil",
    "(a, b), c", "_, _", "if:", "class: 3", "a, &block", "&block", "holdup_result", "a, &holdup_block",
    # In Ruby 3.3 keywords can be what `a` gets, and the parameters don't show it.
    *("a, ..." if RUBY_VERSION >= "3.4")
  ].freeze
  CALLS = [
    [[], {}], [[1], {}], [[1, 2], {}], [[1, 2, 3, 4, 5], {}], [[nil], {}], [[[1, 2], 3], {}], [[{a: 1}], {}],
    [[], {a: 1}], [[1], {a: 1}], [[1], {b: 2}], [[1, 2], {d: 4, g: 1}], [[], {if: 1}], [[], {class: 1}],
    [[1], {"text" => 2}]
  ].freeze

  def taking(parameters, flagged: false)
    Class.new do
      class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
        def m(#{parameters})
          values = binding.local_variables.map { |name| binding.local_variable_get(name) }.grep_v(Proc)
          [values, block_given? ? yield : :no_block]
        end
      RUBY
      ruby2_keywords(:m) if flagged
    end
  end

  # @return [Object] the value, or class and message of the error
  def result(type, arguments, keywords, block)
    type.new.m(*arguments, **keywords, &block)
  rescue ArgumentError => error
    error.message[/\A[\w ]*/]
  end

  def test_passes_on_what_a_method_of_any_signature_gets
    SIGNATURES.each do |parameters|
      plain, hooked = taking(parameters), taking(parameters)
      install(hooked, :m)
      CALLS.product([nil, -> { 7 }]) do |(arguments, keywords), block|
        expected = result(plain, arguments, keywords, block)
        assert_equal expected, result(hooked, arguments, keywords, block),
          "(#{parameters}) with #{arguments} #{keywords}"
      end
      next if parameters.match?(/if:|class:/) # reserved words can't be read as variables
      assert_equal plain.instance_method(:m).arity, hooked.instance_method(:m).arity, parameters
    end
  end

  def test_keywords_in_a_rest_stay_keywords
    type = Class.new do
      ruby2_keywords def m(*rest) = inner(*rest)

      def inner(*rest, **keywords) = [rest, keywords]
    end
    [type, Class.new(type), Class.new(type).prepend(Module.new { def m(*, **) = super })].each do |one|
      install(one, :m, by: Object.new)
      assert_equal [[1], {a: 2}], one.new.m(1, a: 2)
      assert_equal [[1, {a: 2}], {}], one.new.m(1, {a: 2})
    end
  end

  def test_the_parameters_look_as_before
    all = ["a, b", "a, b = 1, &block", "a:, &block", "*rest, &block", "a, *rest", "a, (b, c), &block"]
    all.each do |parameters|
      type = taking(parameters)
      before = type.instance_method(:m).parameters
      install(type, :m)
      after = type.instance_method(:m).parameters
      assert_equal before.map(&:first) - [:block], after.map(&:first) - [:block], parameters
      assert_equal before, after.first(before.size), parameters unless parameters.include?("(")
    end
  end

  def test_owner_name_and_super_method_are_those_of_the_method
    type = Class.new(Class.new { def m = 1 }) { def m = __method__ }
    install(type, :m)
    method = type.new.method(:m)
    assert_equal [type, :m, type.superclass], [method.owner, method.name, method.super_method.owner]
    assert_equal :m, type.new.m
  end

  def test_a_class_without_a_name_gets_none
    type = Class.new { def m = 1 }
    install(type, :m)
    assert_nil type.name
    assert_equal 1, type.new.m
  end

  def test_a_class_keeps_its_constants
    MethodHookTestClass.then { |type| install(type, :m) }
    assert_equal 1, MethodHookTestClass.new.m
    assert_empty MethodHookTestClass.constants
    assert_equal "Holdup::Hooks::MethodHookTest::MethodHookTestClass", MethodHookTestClass.name
  end

  class MethodHookTestClass
    def m = 1
  end

  def test_an_error_has_its_own_backtrace_and_one_line_of_ours
    type = Class.new { def m = raise(IOError) }
    before = error_of(type).backtrace
    install(type, :m)
    after = error_of(type).backtrace
    ours = after.grep(%r{lib/holdup/hooks/method_hook})
    assert_equal 1, ours.size
    assert_equal before.size, (after - ours).size
    assert_equal before.first, after.first
  end

  def error_of(type) = assert_raises(IOError) { type.new.m }

  def test_a_block_that_is_left_and_a_throw_pass
    type = Class.new { def m = yield }
    install(type, :m)
    assert_equal([1, 2], type.new.then { |one| [one.m { break 1 }, catch(:out) { one.m { throw :out, 2 } }] })
    assert_equal 2, @counter.count
  end

  def test_allocates_nothing
    type = Class.new { def m(a, b = 1) = yield(a) }
    one = type.new
    before = allocated { one.m(1) { nil } }
    install(type, :m, counter: Module.new { def self.hit = nil })
    assert_equal before, allocated { one.m(1) { nil } }
  end

  def allocated
    10.times { yield }
    before = GC.stat(:total_allocated_objects)
    100.times { yield }
    (GC.stat(:total_allocated_objects) - before) / 100
  end

  def test_a_private_and_a_protected_method_stay_so
    type = Class.new do
      def ask(other) = other.guarded

      protected def guarded = 1

      private def hidden = 2
    end
    %i[guarded hidden].each { |name| install(type, name) }
    assert_raises(NoMethodError) { type.new.hidden }
    assert_raises(NoMethodError) { type.new.guarded }
    assert_equal [1, 2], [type.new.ask(type.new), type.new.send(:hidden)]
    assert_equal 2, @counter.count
  end

  def test_singleton_methods_operators_setters_and_questions
    type = Class.new do
      def self.build(a) = a

      def +(other) = other

      def [](key) = key

      attr_writer :name

      def ok? = true

      def `(command) = command

      def run = `x`
    end
    install(type.singleton_class, :build)
    %i[+ [] name= ok? `].each { |name| install(type, name) }
    one = type.new
    assert_equal [3, 1, 2, true, "x"], [type.build(3), one + 1, one[2], one.ok?, one.run]
    assert_equal 4, one.name = 4
    assert_equal 6, @counter.count
  end

  def test_ruby_warns_of_nothing_whatever_is_defined_anew
    assert_empty fresh_ruby(<<~RUBY, options: ["-w"], prelude: "$LOAD_PATH.unshift(#{LIB.dump})\n")
      require "holdup/hooks/method_hook"
      def install(type, name)
        Holdup::Hooks::MethodHook.new(type, name, by: Object.new) { |method| method.call }.install or raise
      end
      class Above
        def m = 1
      end
      class Below < Above
        def n(*) = 2
      end
      2.times { %i[m n].each { |name| install(Below, name) } }
      class Below
        alias old_m m
        alias old_n n
        def m = 3
        def n(*) = old_n
      end
      class Other < Above
      end
      install(Other, :m)
      class Other
        def m = 4
      end
      install(Kernel, :system)
      install(Process.singleton_class, :_fork)
      module Kernel
        alias old_system system
        def system(...) = old_system(...)
      end
      class << Process
        def _fork = 1
      end
    RUBY
  end
  LIB = File.expand_path("../../../lib", __dir__)

  def test_a_reloaded_class_can_be_collected
    before = MethodHook.all.size
    100.times { install(Class.new { def m = 1 }, :m) }
    GC.start
    GC.start
    assert_operator MethodHook.all.size, :<, before + 90
  end

  # --- once ---

  def test_a_second_installation_does_nothing
    type = Class.new { def m = 1 }
    2.times { install(type, :m) }
    type.new.m
    assert_equal 1, @counter.count
  end

  def test_another_hook_of_the_same_method_counts_for_itself
    type = Class.new { def m = 1 }
    other = Counter.new(0)
    install(type, :m)
    install(type, :m, by: Object.new, counter: other)
    2.times { type.new.m }
    assert_equal [2, 2], [@counter.count, other.count]
  end

  def test_a_class_and_what_inherits_from_it
    type = Class.new { def m = 1 }
    install(type, :m)
    types = [
      Class.new(type), # inherits it
      Class.new(type) { private(:m) }, # has only another visibility
      Class.new(type) { alias_method(:n, :m) }
    ]
    install(types[0], :m)
    install(types[1], :m)
    install(types[2], :n)
    types.zip(%i[m m n]) { |one, name| assert_equal 1, one.new.send(name) }
    assert_equal 3, @counter.count
  end

  # Each has a private name of its own, else the subclass's would be found by both.
  def test_a_class_and_one_that_overrides_it_are_both_hooked
    type = Class.new { def m = [:above] }
    below = Class.new(type) { def m = [:below, *super] }
    [type, below].each { |one| install(one, :m) }
    assert_equal %i[below above], below.new.m
    assert_equal 2, @counter.count
  end

  def test_a_visibility_that_a_class_changes_follows_what_the_class_above_becomes
    type = Class.new { def m = :first }
    below = Class.new(type) { private :m }
    install(below, :m)
    type.class_eval("undef_method(:m); def m = :second", __FILE__, __LINE__)
    assert_equal :second, below.new.send(:m)
    assert_raises(NoMethodError) { below.new.m }
    assert_equal 1, @counter.count
  end

  # --- where it can't ---

  def test_says_once_why_there_is_no_hook
    module_only = Class.new.prepend(Module.new { def m = 1 })
    refusals = {
      [Class.new, :m, {}] => /there is no such method/,
      [Class.new { def m = 1 }.freeze, :m, {}] => /its class is frozen/,
      [Class.new { def m(a, b = 1) = 1 }, :m, {signatures: ["a", "a, c = 1"]}] =>
        /it takes other parameters than Holdup knows: \(req a, opt b\)/,
      [module_only, :m, {}] => /only a module that another library has prepended defines it/,
      [Kernel, :binding, {}] => /it uses the variables of its caller/,
      [Kernel.singleton_class, :local_variables, {}] => /it uses the variables of its caller/,
      [String, :gsub, {}] => /it uses the variables of its caller/,
      [Regexp.singleton_class, :last_match, {}] => /it uses the variables of its caller/
    }
    refusals.each do |(owner, name, options), reason|
      before = [owner.instance_methods(false), owner.private_instance_methods(false)]
      2.times { refute hook(owner, name, **options).install(@guard) }
      assert_match(/#{name}, so nothing is measured there: #{reason}/, @log.lines.last)
      assert_equal before, [owner.instance_methods(false), owner.private_instance_methods(false)]
    end
    assert_equal refusals.size, @log.lines.size
    assert_equal refusals.size, @guard.unhooked.size
  end

  def test_a_class_whose_method_added_fails_does_not_reach_the_application
    type = Class.new do
      def m = 1

      def self.method_added(_) = raise("no")
    end
    refute hook(type, :m).install(@guard)
    assert_equal({hooks: 1}, @guard.failures)
    assert_equal 1, type.new.m
  end

  def test_a_class_whose_method_added_refuses_the_hooked_method_has_it_complete
    type = Class.new do
      def inner(*rest, **keywords) = [rest, keywords]

      ruby2_keywords def m(*rest) = inner(*rest)
      private :m

      def self.method_added(name) = (raise("no") if name == :m)
    end
    2.times { hook(type, :m).install(@guard) }
    assert_equal [[1], {b: 2}], type.new.send(:m, 1, b: 2)
    assert type.private_method_defined?(:m), "it has become public"
    assert_equal 1, @counter.count
    assert_equal({hooks: 1}, @guard.failures)
  end

  def test_a_class_whose_method_added_removes_our_methods_keeps_its_own
    type = Class.new do
      def m = 1

      def self.method_added(name) = (remove_method(name) if name.start_with?("holdup"))
    end
    refute hook(type, :m).install(@guard)
    assert_equal 1, type.new.m
  end

  # `method_added` runs when the method takes its place, where another thread can call it first.
  def test_there_is_no_moment_in_which_the_method_is_another_one
    %i[public protected private].each do |visibility|
      seen = []
      type = Class.new do
        def inner(*rest, **keywords) = [rest, keywords]

        ruby2_keywords def m(*rest) = inner(*rest)
        send(visibility, :m)
        define_singleton_method(:method_added) do |_|
          seen << [new.send(:m, 1, b: 2), send(:"#{visibility}_method_defined?", :m)]
        end
      end
      install(type, :m)
      assert_equal [[[[1], {b: 2}], true]], seen.uniq, visibility
    end
  end

  def test_the_code_sees_no_constant_of_the_class
    type = Class.new do
      def self.const_missing(name) = raise("asked for #{name}")

      def m(a = 1) = a
    end
    self.class.const_set(:WithConstants, type) # it has a name, as libraries' classes
    type.const_set(:HoldupUnset, 2)
    install(type, :m)
    assert_equal [1, 2], [type.new.m, type.new.m(2)]
  ensure
    self.class.send(:remove_const, :WithConstants)
  end

  def test_a_method_that_is_defined_anew_or_removed_is_not_measured
    type = Class.new { def m = 1 }
    install(type, :m)
    type.define_method(:m) { 2 }
    assert_equal 2, type.new.m
    type.remove_method(:m)
    assert_raises(NoMethodError) { type.new.m }
    assert_equal 0, @counter.count
  end

  def test_renews_a_hook_whose_method_another_library_has_defined_anew
    type = Class.new { def m = 1 }
    hook = hook(type, :m).tap(&:install)
    type.alias_method(:old, :m)
    type.class_eval("def m = old + 1", __FILE__, __LINE__)
    3.times { hook.renew(@guard) } # the alias passes ours
    assert_equal 2, type.new.m
    assert_equal 1, @counter.count
    type.remove_method(:old, :m)
    type.define_method(:m) { 5 }
    3.times { hook.renew(@guard) }
    assert_equal 5, type.new.m
    assert_equal 2, @counter.count
    type.remove_method(:m)
    hook.renew(@guard)
    assert_raises(NoMethodError) { type.new.m }
    assert_empty @log.lines
  end

  # Between the two halves of an alias chain: the alias has what was there before.
  def test_installed_between_an_alias_and_the_method_that_calls_it
    type = Class.new { def m = 1 }
    type.alias_method(:old, :m)
    install(type, :m)
    type.class_eval("def m = old + 1", __FILE__, __LINE__)
    assert_equal 2, type.new.m
    assert_operator @counter.count, :<=, 1
  end

  # --- in any order ---

  # In a Ruby of its own, which has few objects: each refinement of a method goes through the whole heap, and
  # that of a run of tests has millions. Any warning is a failure there, too.
  def test_each_call_counts_once_whatever_other_libraries_do_and_when
    said = fresh_ruby(<<~RUBY, prelude: LOAD_PATH, options: ["-w"])
      require "support/hook_orders"
      orders = HookOrders.new(Random.new(#{Minitest.seed}))
      puts orders.breaches.first(10), orders.log.lines, orders.tried
    RUBY
    *breaches, tried = said.lines(chomp: true)
    assert_empty breaches
    assert_operator Integer(tried), :>, 500
  end

  LOAD_PATH = <<~RUBY
    $LOAD_PATH.unshift(*#{%w[../../../lib ../..].map { |folder| File.expand_path(folder, __dir__) }.inspect})
  RUBY
end
