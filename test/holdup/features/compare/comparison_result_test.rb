# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::ComparisonResultTest < Minitest::Test
  Comparison = Holdup::Compare::Comparison
  SHOP = {"A#fast" => {ms: {cpu: 4, stalled: 2, io: 6}, acquisitions: 6, units: 40, blame: 1},
          "B#slow" => {ms: {cpu: 40, stalled: 8, io: 60}, acquisitions: 9, units: 10, blame: 2}}.freeze
  # What a recording consists of.
  RECORDED = [Holdup::Window, Holdup::UnitSample, Holdup::Compare::Side, Comparison].freeze

  def test_is_shown_as_the_comparison_itself
    View::Words::LANGUAGES.each_key do |language|
      words = View::Words.new(language)
      shown = [comparison, comparison.result].map { |one| text(Holdup::Compare::Report.new(one, words:)) }
      assert_equal shown.first, shown.last
    end
  end

  def test_has_the_same_json
    words = View::Words.new("en")
    shown = [comparison, comparison.result].map do |one|
      Holdup::Compare::Json.new(one, sentences: Holdup::Compare::Report.new(one, words:).sentences).call
    end
    assert_equal shown.first, shown.last
  end

  # It is kept for as long as pages ask for it.
  def test_holds_nothing_of_the_recordings
    assert_empty reachable(comparison.result).select { |found| RECORDED.include?(found.class) }
  end

  def test_can_not_be_changed
    result = comparison.result
    parts = result.to_h.values + result.before.to_h.values + result.after.to_h.values
    assert_empty parts.reject(&:frozen?)
  end

  # The languages come later.
  def test_has_no_sentence
    assert_empty reachable(comparison.result).grep(String).grep(/better|worse|before/i)
  end

  private

  View = Holdup::View

  def comparison
    @comparison ||= Comparison.new(side("one", 1), side("two", 2), rounds: 20)
  end

  def side(label, seed)
    sample = SampleWindows.new(units: SHOP, minutes: 6, seed:)
    Holdup::Compare::Side.new(label:, windows: sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
  end

  def text(report) = View::Text.new(report.page, width: 100).call

  # @return [Array<Object>] what it consists of, at any depth
  def reachable(object, found = {}.compare_by_identity)
    return [] if found.key?(object) || object.is_a?(Module)
    found[object] = true
    parts_of(object).each { |part| reachable(part, found) }
    found.keys
  end

  def parts_of(object)
    fields = object.instance_variables.map { |name| object.instance_variable_get(name) }
    case object
    when Hash then [*object.to_a.flatten(1), *fields]
    when Array then [*object, *fields]
    when Data then [*object.to_h.values, *fields]
    else fields
    end
  end
end
