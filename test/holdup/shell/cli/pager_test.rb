# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "stringio"

class Holdup::CLI::PagerTest < Minitest::Test
  class Terminal < StringIO
    def initialize(rows)
      super()
      @rows = rows
    end

    def tty? = true

    def winsize = [@rows, 80]
  end

  TEXT = "a\nb\nc\n"

  # @return [Array(String, String)] what the terminal and what the pager showed
  def shown(rows:, pager: nil, text: TEXT, env: {})
    Dir.mktmpdir do |folder|
      file = "#{folder}/paged"
      pager ||= "sh -c 'cat > #{file}; printf %s%s \"$LESS\" \"$LESSCHARSET\" >> #{file}'"
      out = Terminal.new(rows)
      env = {"TERM" => "xterm", "PAGER" => pager, **env}
      console = Holdup::CLI::Console.new(out:, err: nil, env:, clock: nil)
      console.show(text)
      return [out.string, File.exist?(file) ? File.read(file) : ""]
    end
  end

  def test_a_text_that_fits_is_printed
    assert_equal [TEXT, ""], shown(rows: 4)
  end

  # The prompt needs the last line.
  def test_a_longer_one_goes_to_the_pager
    assert_equal ["", "#{TEXT}FRXutf-8"], shown(rows: 3)
  end

  def test_what_the_user_has_set_for_less_holds
    inherited = ENV["LESS"].to_s
    assert_equal ["", "#{TEXT}#{inherited}utf-8"], shown(rows: 3, env: {"LESS" => "S"})
  end

  def test_without_a_pager_it_is_printed
    ["", "no-such-pager-anywhere", "sh -c 'unbalanced", "/nonexistent/less -R"].each do |pager|
      assert_equal [TEXT, ""], shown(rows: 2, pager:), pager
    end
  end

  def test_a_terminal_that_does_not_know_its_height
    assert_equal [TEXT, ""], shown(rows: 0)
  end

  def test_a_terminal_that_can_not_scroll
    [{"TERM" => "dumb"}, {"TERM" => ""}].each { |env| assert_equal [TEXT, ""], shown(rows: 2, env:) }
  end

  def test_a_pager_that_is_left_early
    assert_equal ["", ""], shown(rows: 2, pager: "true", text: "x\n" * 200_000)
  end
end
