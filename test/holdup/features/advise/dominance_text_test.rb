# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::DominanceTextTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  Dominance = Sizing::Dominance
  NOW = Sizing::Candidate.new(processes: 1, threads: 5)
  Refusal = Data.define(:cause_sentence)

  def compared(threads, gains, processes: 1)
    Dominance::ComparedSetting.of(NOW.with(threads:, processes:), gains)
  end

  def result(*settings, enough: nil)
    Dominance::DominanceResult.new(now: NOW, settings:, enough:, tried: 80, effective: 43.4,
      events: 5_000_000, percentile: 0.95)
  end

  def text(result, language: "en")
    Holdup::Advise::DominanceText.new(result, words: Holdup::View::Words.new(language),
      refusal: Refusal.new("Record for longer, ask again."))
  end

  def spread(low, high, count = 100)
    Array.new(count) { |index| low + (high - low) * index / (count - 1.0) }
  end

  def test_a_better_setting_with_its_gain
    found = result(compared(3, spread(0.05, 0.4), processes: 2))
    assert_equal "2 x 3 is better than 1 x 5 in 100 of 100 explanations of this recording, by 6.4 % to " \
      "38.6 % of the response (p95).", text(found).lead
    assert_match(/100 通りのうち 100 通りで、2×3 は 1×5 より良く/, text(found, language: "ja").lead)
  end

  def test_a_gain_that_may_be_a_loss_has_one_end
    found = result(compared(3, spread(-0.03, 0.4)))
    assert_match(/better than 1 x 5 in 93 of 100 .* by up to 38\.2 % of the response/, text(found).lead)
  end

  def test_keep_where_nothing_gains
    found = result(compared(1, spread(-0.9, -0.5)), compared(8, spread(-0.5, 0.01)))
    assert_match(/\AKeep 1 x 5: each other setting .* at most 5\.0 % /, text(found).lead)
  end

  def test_what_cannot_be_told_apart_and_how_many_threads_are_enough
    enough = Dominance::EnoughThreads.new(candidate: NOW.with(threads: 3), count: 96, compared: 100)
    found = result(compared(1, spread(-0.9, 0.9)), compared(3, spread(-0.02, 0.02)), enough:)
    assert_equal "More than 3 threads per process gain at most 5.0 % of the response in 96 of 100 " \
      "explanations. 1 x 3 and 1 x 5 can't be told apart: they differ by at most 5.0 % of the response " \
      "(p95) in 100 of 100 explanations of this recording.", text(found).lead
  end

  def test_the_number_of_explanations_and_what_to_do_for_more
    details = text(result(compared(3, spread(0.1, 0.2)))).details
    assert_match(/80 explanations of the recording were tried .* count as 43\./, details.first)
    assert_equal "For an advice with a grade: Record for longer, ask again.", details.last
  end

  def test_each_answer_about_one_setting
    {[0.1, 0.2] => /is better than/, [-0.2, -0.1] => /is worse than/, [-0.01, 0.01] => /can't be told apart/,
     [-0.3, 0.04] => /gains at most/}.each do |ends, sentence|
      assert_match sentence, text(result(compared(3, spread(*ends)))).of_setting
    end
    assert_nil text(result(compared(3, spread(-0.9, 0.9)))).of_setting
  end

  def test_a_table_of_all_settings
    section = text(result(compared(1, spread(-0.9, 0.9)), compared(3, spread(0.1, 0.2)))).section
    assert_equal ["1 x 1", "1 x 3"], section.rows.map(&:first)
    assert_equal ["not known", "better"], section.rows.map { |row| row[1] }
  end

  def test_figures_for_programs
    json = Holdup::Advise::DominanceText::Json.call(result(compared(3, spread(0.1, 0.2))))
    assert_equal [80, 43.4, false, nil], json.values_at(:tried, :effective, :keep, :enough_threads)
    assert_equal [:better, 100, 3], json.fetch(:best).values_at(:answer, :better, :threads)
    assert_nil Holdup::Advise::DominanceText::Json.call(nil)
  end
end
