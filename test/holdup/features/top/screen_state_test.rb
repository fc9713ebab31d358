# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Top::ScreenStateTest < Minitest::Test
  def setup
    @state = Holdup::Top::ScreenState.new
    @rows = %w[a b c].each_with_index.map do |name, pid|
      Holdup::Top::LiveRow.new(name:, pid:, values: {}, steps: ->(_) { [] })
    end
  end

  def press(*keys) = keys.map { |key| @state.press(key, @rows) }.last

  def test_numbers_and_tab_change_the_table
    press("2")
    assert_equal :endpoints, @state.table
    press(:tab)
    assert_equal :threads, @state.table
    press(:tab)
    assert_equal :processes, @state.table
  end

  def test_each_table_remembers_its_order
    press("s")
    assert_equal :caused, @state.sort
    press("2")
    assert_equal :stalled_short, @state.sort
    press("1")
    assert_equal :caused, @state.sort
  end

  def test_the_last_order_is_followed_by_the_first
    orders = Holdup::Top::LiveTables::SORTS.fetch(:processes)
    press(*["s"] * orders.size)
    assert_equal orders.first, @state.sort
  end

  def test_letters_of_a_filter_are_no_commands
    assert_nil press("/", "q", "c")
    assert_equal "qc", @state.filter
    press(:backspace)
    assert_equal "q", @state.filter
    press(:enter)
    refute_predicate @state, :typing?
    assert_equal :quit, press("q")
  end

  def test_escape_removes_filter_and_choice
    press("/", "a", :enter, :down, :escape)
    assert_empty @state.filter
    assert_nil @state.chosen(@rows)
  end

  def test_a_filter_has_an_end
    press("/", *["x"] * 100)
    assert_equal Holdup::Top::ScreenState::LONGEST_FILTER, @state.filter.size
  end

  def test_a_choice_follows_its_row
    press(:down, :down)
    assert_equal 1, @state.chosen(@rows)
    assert_equal 0, @state.chosen(@rows.rotate)
    assert_nil @state.chosen(@rows.take(1))
  end

  def test_a_choice_stays_inside
    press(:up, :up)
    assert_equal 0, @state.chosen(@rows)
    press(:page_down)
    assert_equal 2, @state.chosen(@rows)
  end

  def test_moving_where_nothing_is
    @state.press(:down, [])
    assert_nil @state.chosen([])
  end

  def test_what_the_caller_has_to_do
    assert_equal({"q" => :quit, :interrupt => :quit, :closed => :quit, :suspend => :suspend, "c" => :capture},
      ["q", :interrupt, :closed, :suspend, "c"].to_h { |key| [key, press(key)] })
  end

  def test_help_ends_with_any_key_that_does_nothing_else
    press("?")
    assert_predicate @state, :help?
    refute press("c")
    refute_predicate @state, :help?
  end

  def test_a_message_stays_until_the_next_key
    @state.message = "done"
    press("p")
    assert_nil @state.message
    assert_predicate @state, :paused?
  end
end
