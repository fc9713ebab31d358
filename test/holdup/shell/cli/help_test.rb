# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::HelpTest < Minitest::Test
  include CommandLine

  def test_settings_come_from_the_one_table
    said = holdup("help", "settings")
    Holdup::Configuration::KEYS.each { |key| assert_match(/^#{key.name}\b/, said.out) }
    said.out.each_line(chomp: true) { |line| assert_operator line.size, :<=, 80, line }
  end

  def test_lists_the_commands_that_most_people_need_by_what_they_are_for
    said = holdup("help")
    assert_equal [0, said.out], [said.status, holdup("--help").out]
    groups = said.out.split("\n\n").select { |part| part.include?("\n  holdup") }
    assert_equal [["look", %w[report top ps deaths capture web]], ["decide", %w[advise]],
      ["prove", %w[compare experiment]], ["keep well", %w[fleet doctor]]],
      groups.map { |group| [group.lines.first.chomp, group.scan(/^  holdup (\S+) /).flatten] }
  end

  def test_lists_every_command_if_asked
    listed = holdup("help", "--all").out.scan(/^  holdup (\S+) /).flatten
    assert_equal Holdup::Features.commands.keys.sort, listed.sort
  end

  def test_an_experiment_of_the_lab_has_its_own
    assert_equal holdup("lab", "sweep", "--help").out, holdup("help", "lab", "sweep").out
  end

  def test_an_unknown_topic
    assert_equal 2, holdup("help", "frobnicate").status
    assert_match(/did you mean sweep\?/, holdup("help", "lab", "swep").err)
  end
end
