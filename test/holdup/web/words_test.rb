# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::WordsTest < Minitest::Test
  TABLES = Holdup::Web::Words::LANGUAGES
  NAMES = %i[language_en language_ja title_jit p50 p95 p99].freeze

  def test_every_language_has_every_key_with_the_same_values
    assert_equal TABLES["en"].keys, TABLES["ja"].keys
    TABLES["en"].each { |key, text|
      assert_equal text.scan(/%<\w+>/).sort, TABLES["ja"][key].scan(/%<\w+>/).sort, key
    }
    assert_equal NAMES, TABLES["en"].keys.select { |key| TABLES["en"][key] == TABLES["ja"][key] }
  end

  def test_no_word_of_the_reports_is_hidden
    assert_empty TABLES["en"].keys & Holdup::View::Words::LANGUAGES["en"].keys
    assert_equal ["Advice", "state", "2 more"], [[:title_advice], [:state]].map { |key| Holdup::Web::Words.new("en").call(*key) } +
      [Holdup::Web::Words.new("en").call(:more_units, count: 2).delete_prefix("... ")]
  end

  def test_which_language_a_browser_gets
    {[nil, "ja,en;q=0.8"] => "ja", [nil, "en-GB,ja;q=0.9"] => "en", [nil, "fr,ja-JP;q=0.5"] => "ja", ["en", "ja"] => "en", ["xx", "ja"] => "ja", [nil, "ja;q=0,en"] => "en",
     [nil, nil] => "en", [nil, "\xFF;;q=,"] => "en", [nil, "*"] => "en"}.each do |(asked, header), language|
      assert_equal language, Holdup::Web::Language.of(asked, header), [asked, header].inspect
    end
    assert_equal "ja", Holdup::Web::Language.of(nil, "fr", "ja")
  end
end
