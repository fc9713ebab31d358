# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::PhraseTest < Minitest::Test
  def say(text, **values)
    Holdup::View::Phrase.call(text, values, unknown: "unknown")
  end

  def test_one_and_many
    text = "%{count} {count:process runs|processes run}"
    assert_equal "1 process runs", say(text, count: 1)
    %w[0 2 1,000].each { |count| assert_equal "#{count} processes run", say(text, count:) }
  end

  def test_a_part_whose_value_is_missing_is_left_out
    text = "Stopped[[ for %{time}]][[, in %{share} of %{count} {count:period|periods}]]."
    assert_equal "Stopped for 2 s, in 5 % of 1 period.", say(text, time: "2 s", share: "5 %", count: "1")
    assert_equal "Stopped, in 5 % of 3 periods.", say(text, time: nil, share: "5 %", count: "3")
    assert_equal "Stopped.", say(text, time: "-", share: "5 %", count: "-")
  end

  def test_a_missing_value_elsewhere_is_unknown
    assert_equal "limit: unknown", say("limit: %{limit}", limit: "-")
  end

  def test_a_sentence_in_a_sentence_has_one_full_stop
    assert_equal "It failed: no room; try again", say("It failed: %{reason}; try again", reason: "no room.")
    assert_equal "It failed: no room. Try again", say("It failed: %{reason} Try again", reason: "no room.")
    assert_equal "失敗：空きがない。", say("失敗：%{reason}。", reason: "空きがない。")
  end

  def test_what_is_no_form_stays
    assert_equal "config.capture = {stall: \"50 ms\"}", say("config.capture = {stall: \"50 ms\"}")
    assert_equal "90 % of all", say("%{share} of all", share: "90 %")
  end
end
