# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/extension_sources"

# docs/vocabulary.md names what there is in the code.
class VocabularyTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  Row = Data.define(:term, :meaning, :unit, :in_c, :in_ruby, :in_json)
  ROWS = File.readlines("#{ROOT}/docs/vocabulary.md").grep(/\A\| /).drop(1).map do |line|
    Row.new(*line.delete_prefix("|").delete_suffix("|\n").split("|", -1).map(&:strip))
  end
  UNITS = ["", "ns", "count", "bytes", "ratio"].freeze

  def test_each_term_has_one_row_with_a_meaning_and_a_unit
    assert_operator ROWS.size, :>, 25
    assert_equal ROWS.map(&:term).uniq, ROWS.map(&:term)
    assert_empty ROWS.select { |row| row.meaning.empty? }
    assert_empty ROWS.map(&:unit).uniq - UNITS
  end

  def test_the_words_in_c_are_there
    source = ExtensionSources.all.map { |file| File.read(file) }.join
    assert_empty names(:in_c).reject { |name| source.match?(/\b#{name}\b/) }
  end

  def test_the_words_in_ruby_are_there
    names(:in_ruby).each do |name|
      constant, member = name.split("#")
      found = Holdup.const_get(constant)
      assert_includes found.members, member.to_sym if member
    end
  end

  def test_the_words_in_json_are_there
    sample = SampleWindows.new
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    written = Holdup::View::Json.new(summary).call
    assert_empty names(:in_json).reject { |name| written.include?("\"#{name}\":") }
  end

  def test_durations_have_their_suffix
    durations = ROWS.select { |row| row.unit == "ns" && !row.in_json.empty? }
    assert_empty durations.reject { |row| row.in_json.delete("`").end_with?("_ns") }.map(&:term)
  end

  private

  def names(column)
    ROWS.map { |row| row.public_send(column).delete("`") }.reject(&:empty?)
  end
end
