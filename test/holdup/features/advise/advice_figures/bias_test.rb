# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/learned"

class Holdup::Advise::AdviceFigures::BiasTest < Minitest::Test
  include Learned

  FIGURES = {response: Learned.figure(0.98), p95: Learned.figure(1.04), wait: Learned.figure(1.0)}.freeze
  THREE = Holdup::Advise::Sizing::PredictionBias.new([Learned.outcome(figures: FIGURES)] * 3)

  def bias_sentences(bias, language = "en")
    words = Holdup::View::Words.new(language)
    Holdup::Advise::AdviceFigures::Bias.new(bias.corrections, words:).sentences
  end

  def test_what_came_and_what_follows
    tried = "3 earlier predictions were tried here. Beyond the errors of their self-tests, the " \
      "measurements differ from them by: mean response -2.0 %, p95 +4.0 %, queued + GVL wait 0.0 %."
    corrected = "Other settings are corrected for that: mean response -0.9 %, p95 +1.7 %, " \
      "queued + GVL wait 0.0 %. A setting that is better only by the correction is not advised."
    assert_equal ["#{tried} #{corrected}"], bias_sentences(THREE)
    assert_match(/3 件.*p95 \+4\.0 %.*p95 \+1\.7 %/, bias_sentences(THREE, "ja").first)
  end

  def test_nothing_where_nothing_was_tried
    assert_empty bias_sentences(Holdup::Advise::Sizing::PredictionBias::NONE)
  end

  def test_for_programs
    p95 = Holdup::Advise::AdviceFigures::Bias.json(THREE.corrections).fetch(:p95)
    assert_equal({predictions: 3, ratio: 1.04, factor: 1.017}, p95)
    corrections = Holdup::Advise::Sizing::PredictionBias::NONE.corrections
    assert_empty Holdup::Advise::AdviceFigures::Bias.json(corrections)
  end
end
