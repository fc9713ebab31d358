# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "io/wait"
require "pty"

class Holdup::Top::TerminalTest < Minitest::Test
  Terminal = Holdup::Top::Terminal
  class Broken < StandardError; end

  # @yieldparam terminal [Terminal] and what a person would have in hands
  def opened
    PTY.open do |person, side|
      side.winsize = [24, 80]
      yield Terminal.new(side, side), person
    end
  end

  def modes(side) = IO.popen(%w[stty -g], in: side, &:read)

  # @return [String] what was written up to an ending, which may come in pieces
  def seen(person, ending)
    text = +""
    wait_until do
      text << person.read_nonblock(100_000) if person.wait_readable(0)
      text.end_with?(ending)
    end
    text
  end

  def test_keys_of_usual_terminals
    keys = [:up, :down, :up, :page_up, :escape, :tab, :enter, :backspace, :interrupt, :suspend, "q", "あ"]
    assert_equal keys, Terminal.decode("\e[A\e[B\eOA\e[5~\e\t\r\x7F\x03\x1Aqあ")
  end

  def test_unknown_sequences_and_bytes_are_no_keys
    assert_equal ["a", "b", "?"], Terminal.decode("a\e[1;5Cb\xFF\0".b)
  end

  def test_gives_the_terminal_back_as_it_was
    opened do |terminal, person|
      before = modes(person)
      inside = terminal.take { modes(person) }
      refute_equal before, inside
      assert_equal before, modes(person)
      assert seen(person, Terminal::LEAVE).start_with?(Terminal::ENTER)
    end
  end

  def test_gives_it_back_after_an_exception
    opened do |terminal, person|
      before = modes(person)
      assert_raises(Broken) { terminal.take { raise Broken } }
      assert_equal before, modes(person)
      assert seen(person, Terminal::LEAVE)
    end
  end

  def test_gives_back_the_handler_of_resizes
    mine = -> {}
    before = trap("WINCH", mine)
    opened { |terminal, _| terminal.take { nil } }
    assert_same mine, trap("WINCH", "DEFAULT")
  ensure
    trap("WINCH", before || "DEFAULT")
  end

  def test_sends_only_lines_that_changed
    opened do |terminal, person|
      terminal.take do
        terminal.draw(%w[one two three])
        seen(person, "three")
        terminal.draw(%w[one 2 three])
        assert_equal "\e[2;1H\e[2K2", seen(person, "2")
        terminal.draw(%w[one])
        assert_equal "\e[2;1H\e[J", seen(person, "J")
      end
    end
  end

  def test_waits_for_keys
    opened do |terminal, person|
      terminal.take do
        assert_empty terminal.keys(0)
        person.write("\e[Aq")
        assert_equal [:up, "q"], terminal.keys(WaitUntil::PATIENCE_S)
      end
    end
  end

  def test_a_resize_ends_the_wait_and_draws_all_anew
    opened do |terminal, person|
      terminal.take do
        terminal.draw(%w[one])
        seen(person, "one")
        Process.kill(:WINCH, Process.pid)
        assert_empty terminal.keys(WaitUntil::PATIENCE_S)
        terminal.draw(%w[one])
        assert_includes seen(person, "one"), Terminal::ERASE
      end
    end
  end

  def test_a_terminal_without_a_size_has_the_usual
    PTY.open { |_, side| assert_equal [24, 80], Terminal.new(side, side).size }
  end
end
