# frozen_string_literal: true

require "test_helper"
require "holdup/reports/words"

class Holdup::Reports::WordsTest < Minitest::Test
  TABLES = Holdup::Reports::Words::LANGUAGES

  def test_every_language_has_every_key
    TABLES.each { |name, table| assert_equal TABLES["en"].keys.sort, table.keys.sort, name }
  end

  def test_every_language_takes_the_same_values
    TABLES["en"].each do |key, text|
      TABLES.each { |name, table| assert_equal text.scan(/%<\w+>/).uniq.sort, table[key].scan(/%<\w+>/).uniq.sort, "#{key} in #{name}" }
    end
  end

  def test_japanese_is_translated
    same = TABLES["en"].select { |key, text| TABLES["ja"][key] == text }.keys
    kept = same.grep(/\Astate_|\Ahistogram_|\Aaverage_|_percent\z|\Acpu_each\z/)
    assert_empty same - kept
  end

  def test_says_and_fills_in
    words = Holdup::Reports::Words.new("en")
    assert_equal "state", words.call(:state)
    assert_equal "... 3 more", words.call(:more_units, count: 3)
    assert_raises(KeyError) { words.call(:nowhere) }
  end

  def test_an_unknown_language_names_the_known
    error = assert_raises(Holdup::UsageError) { Holdup::Reports::Words.new("fr") }
    assert_match(/en, ja/, error.message)
  end
end
