# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "stringio"

class Holdup::CLI::ConsoleTest < Minitest::Test
  class Terminal < StringIO
    def tty? = true

    def winsize = [24, 132]
  end

  def test_the_columns_of_a_terminal
    assert_equal [132, 100, 132], widths(Terminal.new)
  end

  def test_in_a_pipe_sentences_have_80_and_tables_what_they_need
    assert_equal [nil, 80, Float::INFINITY], widths(StringIO.new)
  end

  def test_columns_of_the_environment_hold_in_both
    [Terminal.new, StringIO.new].each do |out|
      assert_equal [70, 70, 70], widths(out, "70")
      assert_equal [20, 40, 20], widths(out, "20")
    end
  end

  def test_ignores_columns_that_are_not_a_number
    ["", "0", "-5", "wide"].each { |said|
      assert_equal [nil, 80, Float::INFINITY],
        widths(StringIO.new, said)
    }
  end

  private

  def widths(out, columns = nil)
    console = Holdup::CLI::Console.new(out:, err: StringIO.new, env: {"COLUMNS" => columns}.compact,
      clock: nil)
    [console.columns, console.width, console.table_width]
  end
end
