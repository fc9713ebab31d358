# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Captures::Command::SavedCapturesTest < Minitest::Test
  class Terminal < StringIO
    def tty? = true
  end

  def waited(err)
    console = Holdup::CLI::Console.new(out: StringIO.new, err:, env: {}, clock: nil)
    Holdup::Captures::Command::SavedCaptures.new(console, "en").then do |report|
      [3, 2].each { |count| report.waiting(count, 10) }
    end
    err.string
  end

  def test_a_terminal_has_one_line_that_changes
    assert_equal 2, waited(Terminal.new).count("\r")
  end

  def test_a_pipe_has_none
    assert_empty waited(StringIO.new)
  end
end
