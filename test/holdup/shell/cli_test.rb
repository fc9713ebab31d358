# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "stringio"

class Holdup::CliTest < Minitest::Test
  include CommandLine

  # A deploy has replaced the folder of the shell.
  def test_in_a_deleted_folder_it_says_where_to_go
    [%w[lab sweep --threads 1,2 -- true], %w[report --store relative.sqlite3]].each do |arguments|
      Dir.mktmpdir do |folder|
        Dir.mkdir(gone = File.realpath(folder) + "/release")
        script = 'rmdir "$PWD"; exec "$@"'
        said, status = Open3.capture2e(OWN_LOAD_PATH, "sh", "-c", script, "-", RbConfig.ruby, EXE, *arguments,
          chdir: gone)
        assert_equal 1, status.exitstatus, said
        assert_match(/\Aholdup: the current folder is deleted \(#{gone}\); change to .*`cd #{gone}`/, said)
      end
    end
  end

  # As exe/holdup begins.
  WITHOUT_COLLECTION = 'require "holdup/loader"; GC.disable; %s; ' \
    "Holdup::CLI.new(console: Holdup::CLI::Console.system.with(err: $stdout)).run(ARGV); puts GC.disable"

  def test_collects_garbage_unless_the_answer_is_brief
    script = format(WITHOUT_COLLECTION, nil)
    {%w[version] => "true", %w[mcp --unknown] => "false", %w[unknown] => "false"}.each do |arguments, off|
      said, = Open3.capture2e(OWN_LOAD_PATH, RbConfig.ruby, "-e", script, *arguments)
      assert_equal off, said.lines.last&.chomp, "#{arguments.join(" ")}: #{said}"
    end
  end

  def test_collects_garbage_where_an_answer_takes_longer
    # It runs until a collection is possible, or does not end.
    slow = "Holdup::CLI::Registry::Version.class_eval { def run = (1 while GC.disable) }"
    said, status = Open3.capture2e(OWN_LOAD_PATH, "timeout", "60", RbConfig.ruby, "-e",
      format(WITHOUT_COLLECTION, slow), "version")
    assert status.success?, said
  end

  def test_without_a_command_it_reports
    with_store do |store|
      env = {"HOLDUP_STORE" => store}
      assert_equal holdup("report", env:), holdup(env:)
      japanese = %w[--since 2h --lang ja]
      assert_equal holdup("report", *japanese, env:), holdup(*japanese, env:)
      assert_equal 2, holdup("--sinse", "2h", env:).status
    end
  end

  def test_one_letter_and_options_before_the_command
    with_store do |store|
      env = {"HOLDUP_STORE" => store}
      full = holdup("report", "--since", "2h", "--name", "Orders*", "--full", env:)
      assert_equal full, holdup("-s", "2h", "--full", "report", "-n", "Orders*", env:)
      assert_equal full, holdup("-fs2h", "-nOrders*", env:)
      assert_equal holdup("report", "--json", env:), holdup("-j", env:)
      assert_match(/^    -s, --since TIME/, holdup("report", "--help").out)
      written = "#{store}.json"
      holdup("report", "-j", "-o", written, env:)
      assert_equal holdup("-j", env:).out, File.read(written)
    end
  end

  def test_without_a_command_and_a_store_it_says_where_to_begin
    said = holdup(env: {"HOLDUP_STORE" => "/nowhere/x.sqlite3"})
    assert_equal [1, ""], [said.status, said.err]
    assert_equal ["Nothing is measured yet: there is no store at /nowhere/x.sqlite3.\n", 3],
      [said.out.lines.first, said.out.lines.size]
    assert_match(/holdup doctor/, said.out)
    assert_match(/can't be opened/, holdup("report", env: {"HOLDUP_STORE" => "/nowhere/x.sqlite3"}).err)
  end

  def test_an_unknown_command_names_the_nearest
    said = holdup("repotr")
    assert_equal [2, "", "holdup: unknown command \"repotr\"; did you mean report?\n"],
      [said.status, said.out, said.err]
    assert_match(/`holdup help` lists them/, holdup("xyzzy").err)
  end

  def test_an_unknown_option_names_the_nearest
    said = holdup("report", "--sinse", "1h")
    assert_equal [2, "holdup: report has no option --sinse; did you mean --since?\n"], [said.status, said.err]
    assert_equal 2, holdup("version", "--frobnicate").status
  end

  # Else a report of another store than was meant looks like one of this.
  def test_a_variable_that_no_command_reads_is_said
    env = {"HOLDUP_STROE" => "/x", "HOLDUP_RUBY" => "/r"}
    said = holdup("report", "--store", "/nowhere/x.sqlite3", env:)
    first, *rest = said.err.lines
    assert_match(/\Aholdup: no such setting.*: HOLDUP_STROE \(did you mean HOLDUP_STORE\?\);/, first)
    assert_equal 1, rest.size
    assert_empty holdup("version", env: {"HOLDUP_STROE" => "/x"}).err
  end

  def test_options_are_never_guessed
    assert_equal 2, holdup("report", "--sin", "1h").status
  end

  def test_a_missing_value_and_a_surplus_argument
    assert_equal "holdup: --since needs a value; `holdup report --help` shows what it takes\n",
      holdup("report", "--since").err
    assert_equal "holdup: report takes no argument \"x\"; `holdup report --help` shows what it takes\n",
      holdup("report", "x").err
  end

  def test_each_command_has_its_help
    Holdup::Features.commands.each_key do |name|
      said = holdup(name, "--help")
      assert_equal [0, ""], [said.status, said.err]
      assert_match(/\A[A-Z].*\.\n\n(?:  holdup #{name}\b.*\n){1,3}\nUsage: holdup #{name}/, said.out)
      said.out.each_line(chomp: true) { |line| assert_operator line.size, :<=, 80, line }
      assert_equal said.out, holdup("help", name).out unless name == "help"
    end
  end

  def test_the_examples_of_the_help_are_understood
    Holdup::Features.commands.each_value do |listed|
      listed.entry.examples.each do |arguments|
        console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new,
          env: {"HOME" => "/nonexistent"}, clock: CommandLine::Still.new(now_s: 1_790_000_000))
        options = listed.load.parse(Shellwords.split(arguments), console)
        next assert_equal "lab", listed.name if options.key?(:help)
        assert listed.load.new(console:, **options), listed.name
      end
    end
  end

  def test_hostile_arguments_are_one_short_line
    ["x" * 100_000, "\xff\0\e[31m", "--\xff", "--x=#{"y" * 100_000}"].each do |argument|
      said = holdup("report", argument)
      assert_equal 2, said.status
      assert_equal 1, said.err.lines.size
      assert_operator said.err.size, :<, 400
      refute_includes said.err, "\e"
    end
  end

  def test_a_backtrace_only_with_debug
    refute_match(/\.rb:\d+/, holdup("report", "--store", "/nonexistent/x").err)
    assert_match(/\.rb:\d+/, holdup("report", "--store", "/nonexistent/x", "--debug").err)
  end

  def test_a_failure_of_ours_is_one_line_too
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: nil, clock: nil)
    assert_equal 1, Holdup::CLI.new(console:).run(["report"])
    assert_match(/\Aholdup: .*--debug.*\n\z/, console.err.string)
  end
end

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
