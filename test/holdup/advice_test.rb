# frozen_string_literal: true

require "test_helper"
require_relative "../support/situations"

class Holdup::AdviceTest < Minitest::Test
  include Situations

  def test_the_largest_gain_first
    all = Holdup::Advice.call(situation(samples: container(processes: 1)))
    refute_empty all
    assert_equal all.map(&:rank).sort, all.map(&:rank)
  end

  def test_nothing_was_measured
    assert_empty Holdup::Advice.call(situation(units: {}))
  end

  # One rule a file, and a test file for each.
  def test_every_rule_has_a_test
    Holdup::Advice::RULES.each do |rule|
      path = rule.name.delete_prefix("Holdup::Advice::").gsub("::", "/").gsub(/(?<=[a-z\d])([A-Z])/, '_\1').downcase
      assert_path_exists File.join(__dir__, "advice", "#{path}_test.rb")
    end
  end
end
