# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::InputErrorTest < Minitest::Test
  def test_says_what_happened_and_what_to_do
    error = Holdup::View::InputError.new(:not_before, :swap_shown, one: "since", other: "until")
    assert_includes error.message, "since is not before until"
    refute_nil error.advice
    assert_kind_of Holdup::UsageError, error
  end

  # The dashboard says it in the language of the page.
  def test_its_facts_say_it_in_another_language
    error = Holdup::View::InputError.new(:not_before, :swap_shown, one: "since", other: "until")
    problem, = Holdup::View::ErrorText.of(error, words: Holdup::View::Words.new("ja"))
    assert_match(/[ぁ-ん]/, problem.text)
  end

  def test_the_remedy_is_called_after_the_problem_unless_it_is_given
    error = Holdup::View::InputError.new(:unit_unnamed)
    assert_equal Holdup::View::Words.new.call(:error_unit_unnamed_fix), error.advice
  end
end
