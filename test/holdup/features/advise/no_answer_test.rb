# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::NoAnswerTest < Minitest::Test
  def text(*reasons) = Holdup::Advise::NoAnswer.text(reasons, words: Holdup::View::Words.new)

  def test_the_first_reason_says_why
    assert_equal "nothing arrived in the last five minutes", text(:idle, :few_units)
    assert_equal text(:few_units), text("few_units"), "a file has it as text"
  end

  def test_a_reason_that_is_not_known_is_another
    assert_equal Holdup::View::Words.new.call(:no_answer_other), text(:no_such_reason)
    assert_equal text(:no_such_reason), text
  end
end
