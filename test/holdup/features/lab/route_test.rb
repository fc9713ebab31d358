# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::RouteTest < Minitest::Test
  def test_path_is_fixed_or_made_from_chance
    fixed = Holdup::Lab::Route.new(label: "a", path: "/a")
    random = Holdup::Lab::Route.new(label: "b", path: ->(random) { "/b/#{random.rand(10)}" })
    assert_equal "/a", fixed.path_for(Random.new(1))
    assert_equal random.path_for(Random.new(1)), random.path_for(Random.new(1))
    assert_match %r{\A/b/\d\z}, random.path_for(Random.new(1))
  end

  def test_expects_success_by_default
    route = Holdup::Lab::Route.new(label: "a", path: "/a")
    assert_equal [true, true, false, false, false],
      [200, 302, 404, 500, nil].map { |status| route.expected.include?(status) }
  end
end
