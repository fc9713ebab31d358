# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/configuration/documents"

class Holdup::ConfigurationKeys::DocumentsTest < Minitest::Test
  DOCUMENTS = Holdup::ConfigurationKeys::Documents
  GUIDE = File.expand_path("../../../../docs/guide/configuration.md", __dir__)

  def test_the_initializer_has_twenty_lines_and_sets_nothing
    lines = DOCUMENTS.initializer.lines
    assert_operator lines.size, :<=, 20
    assert_equal ["Holdup.configure do |config|\n", "end\n"], lines.grep_v(/\A\s*(#|$)/)
    assert_operator lines.map(&:size).max, :<=, 100
    DOCUMENTS::FIRST.each_key { |name| assert_equal 1, lines.grep(/^  # config\.#{name} = \S/).size, name }
  end

  def test_every_example_is_a_value_that_its_key_takes
    values = {"Rails.logger" => "$stderr", 'ENV["GIT_COMMIT"]' => '"abc"', 'ENV["POD_NAME"]' => '"web-1"'}
    Holdup::Configuration::KEYS.each do |key|
      draft = Holdup::Configuration.draft
      example = values.fetch(key.example, key.example)
      draft[key.name] = eval(example, binding, __FILE__, __LINE__) # rubocop:disable Security/Eval
      assert_kind_of Holdup::Configuration, Holdup::Configuration.build(draft:), key.name
    end
  end

  def test_the_table_has_a_row_for_every_setting
    rows = DOCUMENTS.table.lines.drop(2)
    assert_equal Holdup::Configuration::KEYS.map { |key| key.name.to_s }, rows.map { |row| row[/`(\w+)`/, 1] }
  end

  def test_the_table_has_the_first_sentence_of_each_explanation
    assert_includes DOCUMENTS.table.lines(chomp: true),
      "| `tick_seconds` | `HOLDUP_TICK_SECONDS` | `1` | " \
      "How often a process writes its gauges and its threads' times. |"
  end

  def test_the_guide_is_the_table_of_this_code
    assert_includes File.read(GUIDE), DOCUMENTS.table
  end
end
