# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::PresetsTest < Minitest::Test
  Presets = Holdup::Compare::Presets

  def test_the_hours_are_always_there
    assert_equal %i[last_hour hour_yesterday], Presets.of([], nil).keys
    assert_equal({"since" => "1h", "base_since" => "25h", "base_until" => "24h"},
      Presets.of([], nil)[:hour_yesterday].compact)
  end

  def test_the_last_two_revisions_and_the_first_two_arms
    choices = %w[setting:a setting:b revision:1 revision:2 revision:3 arm:stable arm:canary arm:other]
    found = Presets.of(choices, nil)
    assert_equal %w[revision:2 revision:3], found[:last_deploy].values_at("before", "after")
    assert_equal %w[arm:stable arm:canary], found[:arms].values_at("before", "after")
    refute Presets.of(%w[revision:1 setting:a setting:b], nil).key?(:last_deploy)
  end

  def test_around_a_change
    found = Presets.of([], [[0, 60], [60, 120]])[:last_change]
    assert_equal %w[1970-01-01T00:01:00Z 1970-01-01T00:02:00Z], found.values_at("since", "until")
    assert_equal %w[1970-01-01T00:00:00Z 1970-01-01T00:01:00Z], found.values_at("base_since", "base_until")
  end

  # The page refuses a question that names its sides twice.
  def test_each_takes_back_what_another_asks
    Presets.of(%w[revision:1 revision:2 arm:a arm:b], [[0, 60], [60, 120]]).each do |name, params|
      sides = params.values_at("before", "after").compact
      spans = params.values_at("base_since", "base_until").compact
      assert_equal [2, 0], [sides.size, spans.size].sort.reverse, name
      %w[before after base_since base_until].each { |param| assert_includes params, param, name }
    end
  end
end
