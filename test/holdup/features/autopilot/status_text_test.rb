# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::StatusTextTest < Minitest::Test
  def status(language = "en", **state)
    Holdup::Autopilot::StatusText.new(Holdup::Autopilot::State.new(**state),
      words: Holdup::View::Words.new(language))
  end

  def test_is_off_until_a_collector_acts
    refute_predicate status, :on?
    assert_predicate status(waits: :low_load), :on?
  end

  def test_says_why_it_waits
    assert_equal "Waiting: the load is below half of the usual one.", status(waits: :low_load).text
    assert_match(/\A待機中：負荷が/, status("ja", waits: :low_load).text)
  end

  def test_says_why_advice_has_no_answer
    said = status(waits: :unknown, detail: "self_test").text
    assert_includes said, Holdup::View::Words.new("en").call(:no_answer_self_test)
  end

  def test_is_a_key_and_a_sentence_for_programs
    found = status(waits: :low_load).to_h
    assert_equal :waiting, found[:phase]
    assert_equal :low_load, found[:reason]
    assert_equal "Waiting: the load is below half of the usual one.", found[:text]
  end
end
