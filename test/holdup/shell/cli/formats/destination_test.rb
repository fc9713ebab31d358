# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "stringio"

class Holdup::CLI::Formats::DestinationTest < Minitest::Test
  class Terminal < StringIO
    def tty? = true

    def winsize = [24, 80]
  end

  # @yieldparam console [Holdup::CLI::Console] of a terminal, in a folder of its own
  def in_a_folder
    Dir.mktmpdir do |folder|
      Dir.chdir(folder) do
        yield Holdup::CLI::Console.new(out: Terminal.new, err: StringIO.new, env: {}, clock: nil)
      end
    end
  end

  def test_what_a_terminal_can_not_show_becomes_a_file
    {html: "holdup.html", perfetto: "holdup.pftrace"}.each do |format, file|
      in_a_folder do |console|
        Holdup::CLI::Formats::Destination.new(console, format:).write("it")
        assert_equal ["it", ""], [File.read(file), console.out.string]
        assert_equal "holdup: written to #{file}; --out names another file\n", console.err.string
      end
    end
  end

  def test_a_named_file_and_a_text_are_not_renamed
    in_a_folder do |console|
      Holdup::CLI::Formats::Destination.new(console, format: :text).write("it")
      Holdup::CLI::Formats::Destination.new(console, file: "x.html", format: :html).write("page")
      assert_equal ["it", ["x.html"], ""], [console.out.string, Dir["*"], console.err.string]
    end
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
