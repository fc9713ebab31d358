# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::PresetsTest < Minitest::Test
  Presets = Holdup::Compare::Presets

  AROUND = [[0, 60], [60, 120]].freeze

  def test_all_are_named_and_without_data_none_is_there
    assert_equal Presets::NAMES.to_h { |name| [name, nil] }, Presets.of([])
  end

  def test_an_hour_is_compared_with_one_that_was_recorded
    assert_empty Presets.of([], recorded_s: 3_000).compact
    assert_equal [:last_hour], Presets.of([], recorded_s: 7_200).compact.keys
    assert_equal({"since" => "1h", "base_since" => "25h", "base_until" => "24h"},
      Presets.of([], recorded_s: 90_000)[:hour_yesterday].compact)
  end

  def test_the_last_two_revisions_and_the_first_two_arms
    choices = %w[setting:a setting:b revision:1 revision:2 revision:3 arm:stable arm:canary arm:other]
    found = Presets.of(choices, deploy: AROUND)
    assert_equal %w[revision:2 revision:3], found[:last_deploy].values_at("before", "after")
    assert_equal %w[arm:stable arm:canary], found[:arms].values_at("before", "after")
    assert_nil Presets.of(%w[revision:1 setting:a setting:b])[:last_deploy]
  end

  # Before the span of the page.
  def test_around_a_deploy_and_a_change
    %i[deploy change].each do |event|
      found = Presets.of([], event => AROUND)[:"last_#{event}"]
      assert_equal %w[1970-01-01T00:01:00Z 1970-01-01T00:02:00Z], found.values_at("since", "until")
      assert_equal %w[1970-01-01T00:00:00Z 1970-01-01T00:01:00Z], found.values_at("base_since", "base_until")
    end
  end

  # The page refuses a question that names its sides twice.
  def test_each_takes_back_what_another_asks
    found = Presets.of(%w[revision:1 revision:2 arm:a arm:b], change: AROUND, recorded_s: 90_000)
    assert_equal Presets::NAMES, found.compact.keys
    found.each do |name, params|
      sides = params.values_at("before", "after").compact
      spans = params.values_at("base_since", "base_until").compact
      assert_equal [2, 0], [sides.size, spans.size].sort.reverse, name
      %w[before after base_since base_until].each { |param| assert_includes params, param, name }
    end
  end
end
