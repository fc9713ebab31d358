# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::CompletionTest < Minitest::Test
  include CommandLine

  # What bash offers for the last of these words.
  # @return [Array<String>]
  def offered(*words)
    script = <<~BASH
      source /dev/stdin
      COMP_WORDS=("$@")
      COMP_CWORD=$(($# - 1))
      _holdup
      printf '%s\\n' "${COMPREPLY[@]}"
    BASH
    printed, status = Open3.capture2e("bash", "-c", script, "bash", "holdup", *words,
      stdin_data: holdup("completion", "bash").out)
    assert status.success?, printed
    printed.split("\n")
  end

  def test_commands
    assert_equal %w[report], offered("rep")
    assert_empty Holdup::Features.commands.keys - offered("")
    assert_equal %w[report --revision], offered("re") + offered("--rev")
  end

  def test_options_of_the_command
    assert_equal %w[--interval], offered("collect", "--in")
    assert_includes offered("--lang", "ja", "doctor", "--"), "--autoscale-target"
    refute_includes offered("doctor", "--"), "--interval"
    assert_includes offered("report", "-"), "-s"
    assert_includes offered("--"), "--since"
  end

  def test_values_and_words
    assert_equal %w[request job], offered("report", "--kind", "")
    assert_equal %w[freeze], offered("autopilot", "fr")
    assert_equal %w[sweep sidekiq-vcpu], offered("lab", "s")
    assert_equal %w[doctor], offered("help", "doct")
    assert_equal %w[how-many-threads], offered("docs", "how")
    assert_equal %w[migrate], offered("store", "mi")
  end

  def test_each_option_is_in_each_shell
    options = Holdup::Features.commands.each_value.flat_map do |listed|
      listed.load.options.map { |option| [listed.name, option.name] }
    end
    assert_operator options.size, :>, 150
    fish = holdup("completion", "fish").out
    bash = holdup("completion", "bash").out
    options.each do |command, name|
      assert_match(/^complete -c holdup -n '__fish_seen_subcommand_from #{command}' -l #{name} /, fish)
      assert_match(/^ +#{command}\) words='[^']*--#{name}[ ']/, bash)
    end
    assert_equal "autoload -U +X bashcompinit && bashcompinit\n#{bash}", holdup("completion", "zsh").out
  end

  # An odd number of marks would swallow the next lines.
  def test_texts_for_fish_are_quoted
    holdup("completion", "fish").out.each_line(chomp: true) do |line|
      assert_match(/\A(?:[^'\\]|'(?:[^'\\]|\\['\\])*')*\z/, line)
    end
  end

  def test_a_shell_that_it_does_not_know
    [%w[tcsh], [], %w[bash zsh]].each do |arguments|
      said = holdup("completion", *arguments)
      assert_equal 2, said.status
      assert_match(/takes one of bash, zsh, fish/, said.err)
    end
  end
end
