# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::App::LanguageTest < Minitest::Test
  def test_which_language_a_browser_gets
    {[nil, "ja,en;q=0.8"] => "ja", [nil, "en-GB,ja;q=0.9"] => "en", [nil, "fr,ja-JP;q=0.5"] => "ja",
     ["en", "ja"] => "en", ["xx", "ja"] => "ja", [nil, "ja;q=0,en"] => "en",
     [nil, nil] => "en", [nil, "\xFF;;q=,"] => "en", [nil, "*"] => "en"}.each do |(asked, header), language|
      assert_equal language, Holdup::Web::App::Language.of(asked, header), [asked, header].inspect
    end
    assert_equal "ja", Holdup::Web::App::Language.of(nil, "fr", "ja")
  end
end
