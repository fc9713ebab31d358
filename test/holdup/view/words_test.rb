# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::WordsTest < Minitest::Test
  TABLES = Holdup::View::Words::LANGUAGES

  def test_every_language_has_every_key
    TABLES.each { |name, table| assert_equal TABLES["en"].keys.sort, table.keys.sort, name }
  end

  def test_every_language_takes_the_same_values
    TABLES["en"].each do |key, text|
      TABLES.each { |name, table|
        assert_equal text.scan(/%<\w+>/).uniq.sort, table[key].scan(/%<\w+>/).uniq.sort, "#{key} in #{name}"
      }
    end
  end

  def test_japanese_is_translated
    same = TABLES["en"].select { |key, text| TABLES["ja"][key] == text }.keys
    kept = same.grep(/\Astate_|\Ahistogram_|\Aaverage_|_percent\z|\Acpu_each\z|\Alanguage_|\Atitle_jit\z|\Ap\d+\z/)
    assert_empty same - kept
  end

  def test_says_and_fills_in
    words = Holdup::View::Words.new("en")
    assert_equal "state", words.call(:state)
    assert_equal "... 3 more", words.call(:more_units, count: 3)
    assert_raises(KeyError) { words.call(:nowhere) }
  end

  def test_sentences_have_the_units_of_their_language
    japanese = Holdup::View::Words.new("ja")
    assert_equal "リクエスト 9 件（12.0 分間、毎秒 2 件）、エラー 0 件（0 %）",
      japanese.call(:volume, units: "リクエスト", count: "9", measured: "12.0 min", rate: "2", errors: "0",
        error_share: "0 %")
    {"31 s" => "31 秒", "2.50 h" => "2.50 時間", "3 d" => "3 日", "12.3 ms" => "12.3 ms", "JIT 3 d" => "JIT 3 d",
     "0 h - 2 min" => "0 時間 - 2 分"}
      .each { |figure, text|
      assert_equal text, japanese.fill("%<one>s", {one: figure})
    }
    assert_equal "10.0 分まで", japanese.fill("%<one>s まで", {one: "10.0 min"})
    assert_equal "10.0 ms まで", japanese.fill("%<one>s まで", {one: "10.0 ms"})
    assert_equal "12.0 min", Holdup::View::Words.new("en").fill("%<one>s", {one: "12.0 min"})
  end

  def test_an_unknown_language_names_the_known
    error = assert_raises(Holdup::UsageError) { Holdup::View::Words.new("fr") }
    assert_match(/en, ja/, error.message)
  end
end
