# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::Configuration::VariablesTest < Minitest::Test
  Variables = Holdup::Configuration::Variables
  ROOT = File.expand_path("../../../..", __dir__)
  # What reads variables of the environment: the gem and the scripts of the repository.
  READERS = %w[lib/**/*.rb bin/**/* exe/* ext/holdup/extconf.rb benchmark/**/*.rb examples/**/*.rb
    test/**/*.rb .ci/* *.gemspec Rakefile docs/*.md README.md].freeze
  # Made up by the tests of this.
  INVENTED = %w[HOLDUP_TYPO HOLDUP_ENABLE HOLDUP_SERIES_LIMITS HOLDUP_DRI HOLDUP_STROE HOLDUP_WRONG
    HOLDUP_LIMIT].freeze

  def test_every_variable_that_is_read_or_documented_is_known
    files = READERS.flat_map { |pattern| Dir.glob(File.join(ROOT, pattern)) }.select do |path|
      File.file?(path)
    end
    read = files.flat_map { |path| File.binread(path).scan(/\bHOLDUP_[A-Z_]*[A-Z]\b/) }.uniq
    assert_operator read.size, :>, 30
    assert_empty read - Variables::KNOWN - INVENTED
  end

  def test_names_variables_without_a_setting
    env = {"HOLDUP_TYPO" => "1", "HOLDUP_DIR" => "/x", "HOLDUP_CACHE" => "/y", "HOLDUP_SUPERVISED" => "1",
           "PATH" => "/bin", "holdup_x" => ""}
    assert_equal ["HOLDUP_TYPO"], Variables.unknown(env)
    assert_empty Variables.unknown({})
  end

  def test_finds_the_setting_that_was_meant
    assert_equal "HOLDUP_ENABLED", Variables.nearest("HOLDUP_ENABLE")
    assert_equal "HOLDUP_SERIES_LIMIT", Variables.nearest("HOLDUP_SERIES_LIMITS")
    assert_equal "HOLDUP_DIR", Variables.nearest("HOLDUP_DRI")
    assert_nil Variables.nearest("HOLDUP_TYPO")
  end

  def test_one_line_about_all_of_them
    assert_equal "no such setting, so it has no effect: " \
      "HOLDUP_ENABLE (did you mean HOLDUP_ENABLED?), HOLDUP_TYPO; " \
      "`holdup docs configuration` lists the variables of the environment",
      Variables.warning(%w[HOLDUP_ENABLE HOLDUP_TYPO])
  end
end
