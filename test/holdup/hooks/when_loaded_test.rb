# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/hooks/when_loaded"

class Holdup::Hooks::WhenLoadedTest < Minitest::Test
  def setup
    @guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    @runs = 0
  end

  def test_a_class_with_methods_is_there_already
    wait(Class.new { def run = nil })
    assert_equal 1, @runs
  end

  def test_one_with_private_methods_only_as_well
    wait(Class.new {
      private

      def run = nil
    })
    assert_equal 1, @runs
  end

  # As Ruby reads it from a file.
  def test_a_class_without_methods_waits_for_its_first_object
    type = Class.new
    wait(type)
    type.define_method(:run) { :ran }
    assert_equal 0, @runs
    assert_equal :ran, type.new.run
    type.new
    assert_equal 1, @runs
  end

  def test_arguments_reach_the_first_object
    type = Class.new
    wait(type)
    type.define_method(:initialize) { |one, two:, &block| @all = [one, two, block.call] }
    type.attr_reader(:all)
    assert_equal [1, 2, 3], type.new(1, two: 2) { 3 }.all
  end

  def test_a_module_is_complete_when_it_is_included_or_extends
    included, extended = Module.new, Module.new
    [included, extended].each { |part| wait(part) }
    Class.new { include included }
    assert_equal 1, @runs
    Object.new.extend(extended)
    assert_equal 2, @runs
  end

  def test_what_fails_in_the_block_does_not_fail_the_application
    type = Class.new
    Holdup::Hooks::WhenLoaded.call(type, :server, @guard) { raise IOError, "no" }
    assert_kind_of type, type.new
  end

  private

  def wait(owner) = Holdup::Hooks::WhenLoaded.call(owner, :server, @guard) { @runs += 1 }
end
