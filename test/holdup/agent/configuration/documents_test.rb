# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/configuration/documents"

class Holdup::ConfigurationKeys::DocumentsTest < Minitest::Test
  DOCUMENTS = Holdup::ConfigurationKeys::Documents
  GUIDE = File.expand_path("../../../../docs/configuration.md", __dir__)

  def test_the_initializer_shows_and_explains_every_setting_and_sets_none
    text = DOCUMENTS.initializer
    Holdup::Configuration::KEYS.each { |key| assert_match(/^  # config\.#{key.name} = \S/, text) }
    code = text.lines.grep_v(/\A\s*(#|$)/)
    assert_equal ["Holdup.configure do |config|\n", "end\n"], code
    assert_operator text.lines.map(&:size).max, :<=, 120
  end

  def test_every_example_is_a_value_that_its_key_takes
    values = {"Rails.logger" => "$stderr", "ENV[\"GIT_COMMIT\"]" => '"abc"'}
    text = DOCUMENTS.initializer.gsub(/^  # (config\.\w+ = )/, "  \\1")
    text = text.gsub(/Rails\.logger|ENV\["GIT_COMMIT"\]/, values)
    draft = Holdup::Configuration.draft
    holdup = Object.new
    holdup.define_singleton_method(:configure) { |&block| block.call(draft) }
    code = text.gsub("Holdup.configure", "holdup.configure")
    eval(code, binding, __FILE__, __LINE__) # rubocop:disable Security/Eval, Style/EvalWithLocation
    assert_kind_of Holdup::Configuration, Holdup::Configuration.build(draft:)
    refute_nil draft.name
  end

  def test_the_table_has_a_row_for_every_setting
    rows = DOCUMENTS.table.lines.drop(2)
    assert_equal Holdup::Configuration::KEYS.map { |key| key.name.to_s }, rows.map { |row| row[/`(\w+)`/, 1] }
  end

  def test_the_table_has_the_first_sentence_of_each_explanation
    assert_includes DOCUMENTS.table.lines(chomp: true),
      "| `tick_seconds` | `HOLDUP_TICK_SECONDS` | `1` | How often a process writes its gauges and accounts. |"
  end

  def test_the_guide_is_the_table_of_this_code
    assert_includes File.read(GUIDE), DOCUMENTS.table
  end
end
