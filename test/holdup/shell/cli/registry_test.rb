# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::RegistryTest < Minitest::Test
  # Remembers what it was made of.
  class Echo
    def self.parse(argv, _console)
      argv.include?("--help") ? {help: "its help", texts: Holdup::CLI::HelpTexts.new} : {words: argv}
    end

    def initialize(console:, words:)
      @console = console
      @words = words
    end

    def run
      @console.out.puts(@words.join(" "))
      7
    end
  end

  def run_echo(*argv)
    out = StringIO.new
    console = Holdup::CLI::Console.new(out:, err: nil, env: {}, clock: nil)
    contents = Holdup::FeatureContents::CommandEntry.new(name: "echo", place: 1, summary: "what it is for")
    entry = Holdup::CLI::Registry::Entry.new(command: Echo, contents:)
    [entry.call(argv, console), out.string]
  end

  def test_a_command_runs_with_its_arguments_and_says_how_it_ended
    assert_equal [7, "one two\n"], run_echo("one", "two")
  end

  def test_help_is_printed_and_the_command_does_not_run
    assert_equal [0, "What it is for.\n\n  holdup echo\n\nits help"], run_echo("--help")
  end

  def test_finds_each_command_by_its_name
    Holdup::Features.commands.each_key do |name|
      assert_respond_to Holdup::CLI::Registry.fetch(name).command, :parse, name
    end
  end

  def test_an_unknown_command_names_the_nearest_or_the_list
    {"repotr" => "did you mean report?", "xyzzy" => "`holdup help` lists them"}.each do |name, advice|
      error = assert_raises(Holdup::UsageError) { Holdup::CLI::Registry.fetch(name) }
      assert_includes [error.message, error.advice].join(" "), advice
    end
  end

  def test_each_command_of_a_group_is_in_a_group_of_the_help
    groups = Holdup::Features.commands.values.filter_map { |command| command.entry.group }.uniq
    assert_equal Holdup::CLI::Registry::GROUPS.sort, groups.sort
  end
end
