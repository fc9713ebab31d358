# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::MarksReaderTest < Minitest::Test
  LATER_S = 600

  def marks(setting, language: "en")
    first = SampleWindows.new
    later = SampleWindows.new(setting: SampleWindows::SETTING.merge(setting)).to_a
    store = Holdup::Store.open("memory:")
    store.commit(first.to_a + later.map { |window| window.with(start_s: window.start_s + LATER_S) }, {})
    Holdup::Compare::MarksReader.call(store, from_s: first.from_s, to_s: first.to_s + LATER_S,
      words: Holdup::View::Words.new(language))
  end

  def test_a_deploy_leads_to_the_comparison_around_it
    mark, *others = marks({"revision" => "3f2a91c"})
    assert_empty others
    assert_equal [SampleWindows::START_S + LATER_S, "compare", true], [mark.at, mark.page, mark.around]
    assert_match(/\Adeployed: revision - -> 3f2a91c/, mark.label)
    assert_match(/\Aデプロイ/, marks({"revision" => "3f2a91c"}, language: "ja").first.label)
  end

  def test_another_setting_is_marked_by_what_changed
    assert_equal ["threads 5 -> 3"], marks({"threads" => 3}).map(&:label)
  end

  def test_a_long_text_is_cut
    assert_equal 60, marks({"revision" => "x" * 300}).first.label.size
  end

  def test_nothing_changed
    assert_empty marks({})
  end
end
