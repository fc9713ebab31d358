# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "stringio"

class Holdup::CLI::Formats::DestinationTest < Minitest::Test
  class Terminal < StringIO
    def tty? = true
  end

  def test_refuses_html_and_bytes_for_a_terminal
    console = Holdup::CLI::Console.new(out: Terminal.new, err: nil, env: {}, clock: nil)
    error = assert_raises(Holdup::UsageError) do
      Holdup::CLI::Formats::Destination.new(console, format: :html)
    end
    assert_match(/--out report\.html/, error.message)
    error = assert_raises(Holdup::UsageError) do
      Holdup::CLI::Formats::Destination.new(console, format: :perfetto)
    end
    assert_match(/a trace for Perfetto can't be shown in a terminal; .* --out trace\.pftrace/, error.message)
    Holdup::CLI::Formats::Destination.new(console, format: :text).write("it")
    assert_equal "it", console.out.string
    assert Holdup::CLI::Formats::Destination.new(console, file: "x.html", format: :html)
  end

  def refusal(file)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: nil, env: {}, clock: nil)
    error = assert_raises(Holdup::Error) do
      Holdup::CLI::Formats::Destination.new(console, file:, option: "--save")
    end
    error.message
  end

  def test_refuses_a_file_that_can_not_be_written_before_anything_is_computed
    Dir.mktmpdir do |folder|
      assert_match(/missing\/x\.json can't be written \(No such file or directory.*name another with --save/,
        refusal(File.join(folder, "missing/x.json")))
      assert_match(/can't be written \(Is a directory\)/, refusal(folder))
    end
  end
end
