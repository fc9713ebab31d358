# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::NoDataErrorTest < Minitest::Test
  # What was asked is right: a command ends with 1 for it, not with 2.
  def test_is_no_mistake_of_who_asks
    error = Holdup::View::NoDataError.new(:nothing_in_span)
    refute_kind_of Holdup::UsageError, error
    assert_kind_of Holdup::Error, error
  end

  def test_says_what_happened_with_its_facts_and_what_to_do
    error = Holdup::View::NoDataError.new(:value_twice, value: "5", names: %w[threads workers])
    assert_includes error.message, "5"
    assert_includes error.message + error.advice, "threads"
    assert_includes error.message + error.advice, "workers"
  end
end
