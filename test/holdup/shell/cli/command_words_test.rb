# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::CommandWordsTest < Minitest::Test
  def find(*words) = Holdup::CLI::CommandWords.find(words, Holdup::Features.commands)

  def test_a_command_keeps_its_arguments
    assert_equal %w[report --since 2h], find("report", "--since", "2h")
    assert_equal %w[exec -- report], find("exec", "--", "report")
  end

  def test_without_a_command_it_is_the_report
    assert_equal %w[report], find
    assert_equal %w[report --since 2h -j], find("--since", "2h", "-j")
  end

  def test_options_before_the_command_belong_to_it
    assert_equal %w[doctor --lang ja --json], find("--lang", "ja", "doctor", "--json")
    assert_equal %w[fleet -s -1h --limit 3 x], find("-s", "-1h", "--limit", "3", "fleet", "x")
    assert_equal %w[exec --dir /tmp puma -p 3], find("--dir", "/tmp", "exec", "puma", "-p", "3")
  end

  def test_the_value_of_an_option_is_no_command
    assert_equal %w[report --name top], find("--name", "top")
    assert_equal %w[top -n report --role fleet], find("-n", "report", "--role", "fleet", "top")
    assert_equal %w[report --name=top], find("--name=top")
  end

  def test_what_is_not_known_is_left_to_who_says_so
    assert_equal %w[repotr --since 2h], find("repotr", "--since", "2h")
  end

  def test_names_of_two_words
    assert_equal %w[timeline x --full], find("capture", "show", "x", "--full")
    assert_equal %w[autopilot --lang ja freeze], find("--lang", "ja", "experiment", "auto", "freeze")
    assert_equal %w[terraform], find("export", "terraform")
    assert_equal %w[experiment status], find("experiment", "status")
  end

  def test_no_second_name_hides_an_argument_or_a_command
    names = Holdup::Features.commands.each_value.filter_map { |listed| listed.entry.also }
    assert_equal names.uniq, names
    assert_operator names.size, :>=, 3
    names.each { |name| refute_includes Holdup::Features.commands, name }
  end
end
