# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_deaths"

class Holdup::Deaths::MarksReaderTest < Minitest::Test
  include ExampleDeaths

  NOW_S = NOW_NS / NS

  # @return [Array<Array(Integer, String, String)>] seconds before now, label and page
  def marks(*deaths, language: "en")
    found = Holdup::Deaths::MarksReader.call(store_with(*deaths), from_s: NOW_S - 3600, to_s: NOW_S + 1,
      words: Holdup::View::Words.new(language))
    found.map { |mark| [NOW_S - mark.at, mark.label, mark.page] }
  end

  def test_says_what_died_and_how
    assert_equal [[0, "puma 4711 died: out of memory", "deaths"]], marks(hogged_death)
    assert_equal ["puma 4711 が異常終了：メモリ不足"], marks(hogged_death, language: "ja").map { |mark| mark[1] }
  end

  def test_deaths_within_a_minute_share_a_mark
    apart = [death(ago_s: 600), death(ago_s: 540, pid: 5, reason: :oom), death(ago_s: 479, pid: 6)]
    assert_equal [[600, "2 processes died: unknown, out of memory", "deaths"],
      [479, "puma 6 died: unknown", "deaths"]], marks(*apart)
  end

  def test_none_outside_of_the_span
    assert_empty marks(death(ago_s: 4000))
    assert_empty marks
  end
end
