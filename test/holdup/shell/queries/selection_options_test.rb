# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::SelectionOptionsTest < Minitest::Test
  Selection = Holdup::Queries::SelectionOptions

  def test_a_command_may_describe_an_option_in_its_own_way
    own = Selection[:since, "since when", "1h"]
    assert_equal ["since when", "1h"], own.help
    assert own.same?(Selection[:since]), "it still means the same in a suggested command"
    assert_equal %w[since until], Selection.span("beginning").map(&:name)
  end

  def test_options_of_the_origin
    assert_equal Holdup::Queries::Origin.members.map(&:to_s), Selection.origin.map(&:name)
    assert_equal %w[host], Selection.origin([:host]).map(&:name)
    assert_equal [:origin], Selection.origin.map(&:key).uniq, "they are parts of one value"
  end

  def test_all_choose_the_measurements_and_go_first_in_suggested_commands
    assert_equal [:selection], Selection::ALL.map(&:purpose).uniq
    assert_equal 0, Selection.place(Selection[:since])
    other = Holdup::Queries::Option.switch("--full", "everything")
    assert_operator Selection.place(other), :>, Selection.place(Selection::ALL.last)
  end

  def test_an_unknown_name_is_a_mistake_of_the_program
    assert_raises(KeyError) { Selection[:sinse] }
  end

  def test_a_span_has_time_between_its_ends
    assert_equal [1, 2], Selection.ordered(1, 2)
    [[2, 2], [3, 2]].each do |span|
      error = assert_raises(Holdup::UsageError) { Selection.ordered(*span) }
      assert_match(/--since is not before --until/, error.message)
    end
  end
end
