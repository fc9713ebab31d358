# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/runtime/measuring_session"

class Holdup::Runtime::ResourcesTest < Minitest::Test
  Resource = Struct.new(:facts, :pools, :gauges, :profile, :installed) do
    def install
      self.installed = installed.to_i + 1
    end
  end

  class Broken
    def install = raise("no")

    def facts = raise("no")

    def pools = raise("no")

    def gauges = raise("no")

    def profile = raise("no")
  end

  def setup
    @log = CollectedLog.new
    @resources = Holdup::Runtime::Resources.new(Holdup::Guard.new(log: @log, clock: HandClock.new))
  end

  def test_a_late_resource_is_built_when_it_is_needed
    needed = false
    built = []
    late = Holdup::Runtime::LateResource.new(-> { needed }) do
      Resource.new({"a" => 1}, [:x], {g: 1}, {"p" => 1}).tap { |resource| built << resource }
    end
    late.install
    assert_equal [{}, [], {}, {}], [late.facts, late.pools, late.gauges, late.profile]
    needed = true
    2.times { late.install }
    assert_equal [{"a" => 1}, [:x], {g: 1}, {"p" => 1}], [late.facts, late.pools, late.gauges, late.profile]
    assert_equal [2], built.map(&:installed)
  end

  def test_each_resource_is_called_once
    first = Resource.new({"a" => 1}, [:x], {g: 1}, {"p" => 1})
    second = Resource.new({"b" => 2}, %i[y z], {h: 2}, {})
    [first, second, first].each { |resource| @resources.add(resource) }
    @resources.install
    assert_equal [{"a" => 1, "b" => 2}, %i[x y z], {g: 1, h: 2}],
      [@resources.facts, @resources.pools, @resources.gauges]
    assert_equal({"p" => 1}, @resources.profile)
    assert_equal [1, 1], [first.installed, second.installed]
  end

  def test_none
    assert_equal [{}, [], {}, {}], [@resources.facts, @resources.pools, @resources.gauges, @resources.profile]
  end

  def test_one_that_fails_is_left_out
    @resources.add(Broken.new)
    @resources.add(Resource.new({"a" => 1}, [:x], {g: 1}))
    @resources.install
    assert_equal [{"a" => 1}, [:x], {g: 1}, 1],
      [@resources.facts, @resources.pools, @resources.gauges, @log.lines.size]
  end
end
