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

  def test_an_experiment_of_the_lab_has_its_own
    assert_equal holdup("lab", "sweep", "--help").out, holdup("help", "lab", "sweep").out
  end

  def test_an_unknown_topic
    assert_equal 2, holdup("help", "frobnicate").status
    assert_match(/did you mean sweep\?/, holdup("help", "lab", "swep").err)
  end
end
