# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::QuestionTest < Minitest::Test
  def question(**arguments)
    Holdup::Queries::Question.new(command: "advice request", seconds: 86_400, arguments:)
  end

  def test_the_order_of_the_arguments_and_those_that_are_nil_do_not_count
    assert_equal question, question(host: nil)
    assert_equal question(host: "a", app: "b").key(1), question(app: "b", host: "a").key(1)
  end

  def test_the_form_of_the_results_is_a_part_of_the_key
    refute_equal question.key(1), question.key(2)
  end
end
