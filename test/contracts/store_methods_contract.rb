# frozen_string_literal: true

# The methods of each store are those of the contract, with its parameters: what one store can do, all can.
# Include it and define `contract`, and `defaults`: names of the methods that the contract itself answers.
module StoreMethodsContract
  STORES = [Holdup::Store::Sql, Holdup::Store::Clickhouse].freeze
  CONTRACTS = [Holdup::Store::Reader, Holdup::Store::Writer].freeze

  def self.included(test)
    test.one_ruby
  end

  def test_each_store_has_every_method
    STORES.each do |store|
      missing = (names - defaults).select { |name| store.instance_method(name).owner == contract }
      assert_empty missing, "#{store} does not implement these of #{contract}"
    end
  end

  def test_no_store_has_another_method
    STORES.each do |store|
      known = CONTRACTS.flat_map(&:public_instance_methods)
      assert_empty store.public_instance_methods(false) - known, "#{store} has what no contract has"
    end
  end

  def test_parameters_are_those_of_the_contract
    STORES.product(names).each do |store, name|
      assert_equal parameters(contract.instance_method(name)), parameters(implementation(store, name)),
        "#{store}##{name}"
    end
  end

  def test_a_method_without_an_answer_says_so
    nothing = Class.new.include(contract).new
    (names - defaults).each do |name|
      by_kind = contract.instance_method(name).parameters.group_by(&:first)
      arguments = Array.new(by_kind.fetch(:req, []).size)
      keywords = by_kind.fetch(:keyreq, []).to_h { |_, key| [key, 1] }
      assert_raises(NotImplementedError, name.to_s) { nothing.public_send(name, *arguments, **keywords) }
    end
  end

  private

  def names = contract.public_instance_methods(false)

  # A store hands some questions on as they are, to the part of it that reads windows.
  def implementation(store, name)
    method = store.instance_method(name)
    (method.parameters.dig(0, 0) == :rest) ? store.const_get(:Spans).instance_method(name) : method
  end

  # In any order, without the block, which may be yielded to.
  def parameters(method)
    method.parameters.sort.reject { |parameter| parameter.first == :block }
  end
end
