# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Top::LiveTextTest < Minitest::Test
  # A terminal of two lines in which these keys are pressed, one list after each picture. Ten seconds pass
  # while it waits for each.
  class Scripted
    attr_reader :pictures, :waited, :suspended

    def initialize(*keys)
      @keys = keys
      @pictures = []
      @waited = []
      @suspended = 0
      @now_s = 100
    end

    def realtime_s = @now_s

    def take = yield

    def size = [2, 80]

    def draw(lines) = @pictures << lines

    def suspend = @suspended += 1

    def keys(seconds)
      @waited << seconds
      @now_s += 10
      @keys.shift || raise("nobody ended it")
    end
  end

  Tty = Data.define(:tty) do
    def tty? = tty
  end
  Console = Data.define(:out)

  def watch(*keys)
    terminal = Scripted.new(*keys)
    watch = Holdup::Top::LiveText.new(terminal, clock: terminal, every_s: 10)
    watch.call { |passed_s| "#{passed_s} s\ntwo\nthree\n" }
    terminal
  end

  def test_draws_the_text_anew_until_a_key_ends_it
    terminal = watch([], %w[x], %w[q])
    assert_equal [["0 s", "two"], ["10 s", "two"], ["20 s", "two"]], terminal.pictures
    assert_equal [10, 10, 10], terminal.waited
  end

  def test_an_interrupt_and_a_closed_terminal_end_it
    assert_equal 1, watch([:interrupt]).pictures.size
    assert_equal 1, watch([:closed]).pictures.size
  end

  def test_goes_on_after_it_was_suspended
    terminal = watch([:suspend], %w[q])
    assert_equal [1, 2], [terminal.suspended, terminal.pictures.size]
  end

  def refused(format, input: true, output: true)
    console = Console.new(out: Tty.new(tty: output))
    assert_raises(Holdup::UsageError) do
      Holdup::Top::LiveText.check(console, input: Tty.new(tty: input), format:)
    end.message
  end

  def test_needs_a_terminal_and_its_format
    terminal = Tty.new(tty: true)
    assert_nil Holdup::Top::LiveText.check(Console.new(out: terminal), input: terminal, format: :text)
    assert_match(/\A--watch and --json can't be combined; leave out one/, refused(:json))
    assert_match(/\A--watch needs a terminal; leave it out to print once/, refused(:text, input: false))
    assert_match(/--watch needs a terminal/, refused(:text, output: false))
  end
end
