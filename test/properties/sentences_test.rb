# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Every sentence of both languages, with the numbers 0, 1 and 2 and with nothing where its values go.
class SentencesTest < Minitest::Test
  WORDS = %w[en ja].to_h do |language|
    [language, Holdup::View::Words.new(language)]
  end
  TABLES = Holdup::View::Words::LANGUAGES.transform_values { |table|
    table.to_h.select { |_, text| text.is_a?(String) }
  }
  REGULAR = %w[thread unit request job setting minute second connection application endpoint thing name time
    worker event stack step run round arm vCPU error host sample row pool].freeze
  NOUNS = {"process" => "processes", "stretch" => "stretches",
           **REGULAR.to_h { |noun| [noun, "#{noun}s"] }}.freeze
  # "1 and 1 processes" is of two numbers, "1 requests/s" a rate.
  MANY_OF_ONE = %r{(?<!and )(?<![\d.,])1 (#{NOUNS.values.join("|")})\b(?!/)}
  ONE_OF_MANY = %r{(?<![\d.,])[02] (#{NOUNS.keys.join("|")})\b(?!/)}
  # A missing value; no arrow, no range, no minus of a formula.
  DASH = /(?:\A|[\s(（：:、"“])-(?=[\s)）.,;:。、"”]|\z)/
  DOUBLED = /(?<!\.)\.\.(?!\.)|[.;,:。；、：][;,。；、]|[.。][。.](?!\.)|[;；][.。]|\(\)|（）|
    \s[,;.](?=\s|\z)|[(（]\s|\ \ /x

  # Values that are no counts: names, and shares in front of a noun.
  NAMES = %i[name killer tool what speed_up].freeze

  def test_counts_agree_with_their_nouns
    assert_empty wrong(%w[en], %w[0 1 2],
      NAMES) { |text| text.match?(MANY_OF_ONE) || text.match?(ONE_OF_MANY) }
  end

  def test_a_missing_value_is_left_out_or_unknown
    assert_empty wrong(%w[en ja],
      [nil, "-"]) { |text, template| text.scan(DASH).size != template.scan(DASH).size }
  end

  def test_nothing_of_the_notation_is_left
    assert_empty wrong(%w[en ja], ["0", "1", "2", "-"]) { |text| text.match?(/%\{|\[\[|\]\]|\{\w+:[^}]*\|/) }
  end

  def test_no_punctuation_is_doubled
    values = ["1", "2", "-", "A sentence.", "文です。"]
    assert_empty wrong(%w[en ja],
      values) { |text, template| text.match?(DOUBLED) && !template.match?(DOUBLED) }
  end

  # Where a value may be missing in one language, it may in the other.
  def test_both_languages_leave_out_the_same_values
    TABLES["en"].each do |key, text|
      assert_equal left_out(text), left_out(TABLES["ja"][key]), key
    end
  end

  private

  # @return [Array<String>] values without which a part goes
  def left_out(text)
    text.scan(/\[\[.*?\]\]/m).flat_map { |part| part.scan(/%\{(\w+)\}/) }.flatten.uniq.sort
  end

  def each_sentence(*languages)
    languages.each do |language|
      TABLES[language].each do |key, template|
        yield key, WORDS[language], template if template.include?("%{")
      end
    end
  end

  # @return [Array<String>] sentences that the block finds wrong
  def wrong(languages, values, texts = [])
    found = []
    each_sentence(*languages) do |key, words, template|
      names = template.scan(/%\{(\w+)\}/).flatten.map(&:to_sym)
      rendered = values.map { |value|
        words.call(key, **names.to_h { |name| [name, texts.include?(name) ? "A" : value] })
      }
      found.concat(rendered.select { |text| yield text, template }.map { |text| "#{key}: #{text}" })
    end
    found
  end
end
