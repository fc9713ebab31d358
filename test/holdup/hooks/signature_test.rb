# frozen_string_literal: true

require "test_helper"
require "holdup/hooks/signature"

class Holdup::Hooks::SignatureTest < Minitest::Test
  Signature = Holdup::Hooks::Signature

  # What a method was called with, and what it makes of it.
  class Target
    # As libraries have it, though not as we write it.
    class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
      def plain(one, two = :default, *rest, last, key:, other: 7, **more, &block)
        [one, two, rest, last, key, other, more, block&.call]
      end
    RUBY

    def positional(one, two = :default, three = [two]) = [one, two, three]

    def splat(*all) = all

    def none(**nil) = :none

    def required(one, if:) = [one, binding.local_variable_get(:if)]
  end

  CALLS = {
    plain: [[[1, 9], {key: 2}], [[1, 2, 9], {key: 2, other: 3, third: 4}], [[1, 2, 3, 4, 9], {key: nil}]],
    positional: [[[1], {}], [[1, nil], {}], [[1, 2, 3], {}]],
    splat: [[[], {}], [[1, {a: 2}], {}]],
    none: [[[], {}]],
    required: [[[1], {if: 3}]]
  }.freeze

  CALLS.each do |name, calls|
    define_method(:"test_a_method_that_passes_on_is_called_as_#{name}") do
      target = Target.new
      hook = hooked(target.method(name).parameters, target, name)
      calls.each do |arguments, options|
        expected = target.public_send(name, *arguments, **options)
        assert_equal expected, hook.call(*arguments, **options), "#{arguments} #{options}"
      end
    end
  end

  def test_the_block_is_passed_on
    target = Target.new
    hook = hooked(target.method(:plain).parameters, target, :plain)
    assert_equal 5, hook.call(1, 2, key: 3) { 5 }.last
  end

  # Keywords in a `*rest` stay keywords only with the flag of ruby2_keywords, or as keywords of the hook.
  def test_keywords_in_a_rest
    parameters = Target.instance_method(:splat).parameters
    assert_predicate Signature.new(parameters), :flag?
    without = Signature.new(parameters, flag: false)
    refute_predicate without, :flag?
    assert_includes without.definition, "**holdup_keywords"
    refute_predicate Signature.new(parameters, keywords_in_rest: false), :flag?
  end

  def test_what_was_given_leaves_unset_defaults_out
    signature = Signature.new(Target.instance_method(:positional).parameters)
    given = eval_method(signature, signature.given)
    assert_equal [1], given.call(1)
    assert_equal [1, nil], given.call(1, nil)
  end

  def test_an_argument_by_its_place
    signature = Signature.new(Target.instance_method(:plain).parameters)
    assert_equal %w[one two rest[0] rest[1]], (0..3).map { |index| signature.positional(index) }
    assert_equal "holdup_0", Signature.new([[:req]]).positional(0), "a method in C has no names"
  end

  def test_names_that_code_can_use
    usable = %i[sql été _call].select { |name| Signature.usable?(name) }
    assert_equal %i[sql été _call], usable
    refused = [nil, :if, :self, :*, :a?, :holdup_block, :_1, :Sql]
    assert_empty(refused.select { |name| Signature.usable?(name) })
  end

  def test_two_of_one_name_are_kept_apart
    signature = Signature.new([[:req, :_], [:req, :_]])
    assert_equal "_, holdup_1, &holdup_block", signature.definition
  end

  def test_which_parameters_fit_what_is_expected
    expected = Signature.parameters("sql, name = nil, **options")
    assert Signature.fits?(Signature.parameters("sql, name = 1, **options, &block"), expected)
    assert Signature.fits?([[:req], [:opt], [:keyrest]], expected), "a method in C has no names"
    refute Signature.fits?(Signature.parameters("sql, **options"), expected)
    refute Signature.fits?(Signature.parameters("text, name = nil, **options"), expected)
  end

  def test_a_method_that_takes_anything
    ["*all", "*all, **more", "*, &block"].each do |code|
      assert Signature.any?(Signature.parameters(code)), code
    end
    refute Signature.any?(Signature.parameters("one, *all"))
  end

  private

  # A method of these parameters that calls the target's with what it was given.
  def hooked(parameters, target, name)
    signature = Signature.new(parameters)
    eval_method(signature, signature.call("TARGET.#{name}"), target)
  end

  def eval_method(signature, body, target = nil)
    owner = Module.new
    owner.const_set(:TARGET, target)
    owner.const_set(:HoldupUnset, Signature::UNSET)
    owner.module_eval("def self.passes_on(#{signature.definition}) = #{body}", __FILE__, __LINE__)
    owner.singleton_class.send(:ruby2_keywords, :passes_on) if signature.flag?
    owner.method(:passes_on)
  end
end
