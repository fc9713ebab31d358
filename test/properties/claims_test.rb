# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "yaml"

# What is said of a measurement is no more than its figures show.
class ClaimsTest < Minitest::Test
  SUBJECTS = %r{/features/(?:advise/locales/\w+/(?:advice|findings)|captures/locales/\w+)\.yml}
  # Sentences of advice that other parts say, too.
  SHARED = %i[advice_amdahl advice_no_findings].freeze
  ENGLISH, JAPANESE = %w[en ja].map { |language|
    files = Holdup::View::LocaleFiles.all.fetch(language).grep(SUBJECTS)
    keys = files.flat_map { |file| YAML.load_file(file).fetch(language).keys }
    Holdup::View::Words::LANGUAGES[language].to_h.slice(*keys.map(&:to_sym), *SHARED)
  }

  # What a law assumes is no claim.
  def test_nothing_is_said_to_be_so_at_all_times
    ENGLISH.each { |key, text| refute_match(/(?<!may )\b(?:never|always|surely)\b/i, text, key) }
    JAPANESE.except(:advice_amdahl).each { |key, text| refute_match(/決して|必ず|絶対に|常に/, text, key) }
  end

  # A capture knows by which rule it was kept.
  def test_a_cause_is_a_likely_one_with_its_figure
    causes = ENGLISH.except(:timeline_by_rule).select { |_, text| text.include?("because") }
    causes.each do |key, text|
      refute_match(/(?<!Likely |perhaps )because/, text, key)
      assert_match(/%\{\w+\}/, text, key)
    end
    refute_empty causes
  end

  def test_no_remedy_is_said_to_be_useless
    ENGLISH.each { |key, text|
      refute_match(/No (?:number|setting) of|would not help|does not help/, text, key)
    }
  end

  # The figures of a rule do not show it, but where others waited and no time slice ended a hold.
  def test_c_code_is_named_where_figures_support_it
    named = ENGLISH.select { |key, text| key.end_with?("_what") && text.match?(/C code|native code/) }
    assert_empty named
  end
end
