# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ConfigurationKeys::KeysTest < Minitest::Test
  Key = Holdup::ConfigurationKeys::Key
  Types = Holdup::ConfigurationKeys::Types
  ALL = Holdup::ConfigurationKeys::ALL

  def key(type = Types::Whole.new(1..9), default: 5, **more)
    Key.new(name: :limit, type:, default:, help: "help", **more)
  end

  def refused(&) = assert_raises(Holdup::ConfigurationError, &).message

  def test_its_variable_is_called_after_it_unless_it_has_none
    assert_equal "HOLDUP_LIMIT", key.env
    assert_nil key(env: nil).env
    assert_equal "5", key.example
  end

  def test_a_valid_value_is_taken
    assert_equal 9, key.check(9)
    assert_equal 9, key.read("9")
  end

  # nil asks for the default, where that is nothing.
  def test_nothing_is_a_value_only_where_it_is_the_default
    assert_nil key(default: nil).check(nil)
    assert_includes refused { key.check(nil) }, "limit can't be nil"
  end

  def test_a_wrong_value_is_refused_by_the_name_that_it_was_given_under
    assert_match(/\Alimit can't be 10; give a whole number from 1 to 9/, refused { key.check(10) })
    assert_match(/\AHOLDUP_LIMIT can't be 10;/, refused { key.read("10") })
    assert_match(/\AHOLDUP_LIMIT can't be "x";/, refused { key.read("x") })
  end

  def test_a_misspelt_choice_names_the_nearest
    choice = key(Types::Choice.new(%i[thread process]), default: :process)
    assert_includes refused { choice.check(:tread) }, "thread"
    assert_includes refused { choice.read("proces") }, "process"
  end

  # Logs keep messages.
  def test_what_may_hold_a_password_is_not_repeated
    web_auth = ALL.find { |one| one.name == :web_auth }
    message = refused { web_auth.check({username: "ops", password: 12_345_678}) }
    refute_includes message, "12345678"
    refute_includes refused { web_auth.read("hunter2secret") }, "hunter2secret"
  end

  def test_every_default_is_a_value_of_its_key
    ALL.each { |one| assert_equal [one.default], [one.check(one.default)], one.name }
  end

  def test_names_and_variables_are_unique
    [ALL.map(&:name), ALL.filter_map(&:env)].each { |names| assert_equal names.uniq, names }
  end
end
