# frozen_string_literal: true

require "test_helper"
require "holdup/agent/probe"

class Holdup::ProbeTest < Minitest::Test
  FALLBACK = Module.new.extend(Holdup::Probe::Fallback)

  def test_the_extension_is_loaded_here
    assert_predicate Holdup::Probe, :supported?
    assert_nil Holdup::Probe.unsupported_reason
  end

  def test_a_missing_extension_raises_nothing
    assert_nil Holdup::Probe.load_extension(["/nowhere/holdup"])
  end

  def test_the_fallback_has_every_method_of_the_extension_that_ruby_code_calls
    own = %i[abi supported? unsupported_reason load_extension load_one]
    tests_only = %i[bucket clock_source query_fingerprint]
    of_extension = Holdup::Probe.singleton_methods(false) - own - tests_only
    missing = of_extension - FALLBACK.singleton_methods - FALLBACK.methods
    assert_empty missing
    common = Holdup::Probe.singleton_methods(false) & Holdup::Probe::Fallback.instance_methods
    common.each { |name| assert_equal arity(Holdup::Probe.method(name)), arity(FALLBACK.method(name)), name }
  end

  # Of what may be left out, a method in C says only that there is something.
  def arity(method) = [method.arity, -1].max

  def test_the_fallback_measures_nothing
    refute FALLBACK.enable
    refute_predicate FALLBACK, :enabled?
    assert_equal 0, FALLBACK.enter
    assert_nil FALLBACK.finish(0)
    assert_nil FALLBACK.record(0, 1, "x", nil, nil, false)
    assert_empty FALLBACK.snapshot
    refute FALLBACK.tick([])
    assert_equal "{}", FALLBACK.setting = "{}"
    assert_equal [nil, nil, nil, nil],
      [FALLBACK.cancel(0), FALLBACK.label(Thread.current, "x"), FALLBACK.count(1),
        FALLBACK.open_segment("/x", 1, 1, nil, 0)]
  end

  def test_without_its_extension_it_says_why_once_and_the_application_runs
    output = fresh_ruby(<<~RUBY, prelude: "")
      $LOAD_PATH.unshift(#{File.expand_path("../../../lib", __dir__).dump})
      module Kernel
        alias_method :own_require, :require
        def require(name)
          raise LoadError, name if name.end_with?("/holdup") && name.match?(/native|holdup.holdup/)
          own_require(name)
        end
      end
      require "holdup"
      Holdup.start
      Holdup.start
      p Holdup.measure("x") { 7 }, Holdup.running?
    RUBY
    assert_equal 1, output.scan("holdup: Holdup measures nothing").size, output
    assert_match(/^7\nfalse$/, output)
  end
end
