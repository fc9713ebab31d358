# frozen_string_literal: true

require "test_helper"
require "holdup/model/change_reason"

class Holdup::ChangeReasonTest < Minitest::Test
  Reason = Holdup::ChangeReason

  def test_a_line_keeps_key_and_facts
    reason = Reason.of(:unreadable, error: "速い = 100 %\nof\tit")
    assert_equal reason, Reason.parse(reason.to_s)
    refute_match(/[\n\t]/, reason.to_s)
    assert_equal "its requests can't be read (速い = 100 %\nof\tit)", reason.english
  end

  def test_what_somebody_wrote_stays
    ["less stall?", "@bob wants it", "", "p95 = 3"].each do |text|
      reason = Reason.parse(text)
      assert_nil reason.key
      assert_equal [text, text], [reason.to_s, reason.english]
    end
  end

  def test_a_reason_in_a_reason
    inner = Reason.of(:errors, share: 12.5, count: 40).to_s
    reason = Reason.of(:worker, pid: 7, why: inner)
    assert_equal "worker 7: 12.5 % of 40 requests failed", Reason.parse(reason.to_s).english
    assert_equal "worker 7: by hand", Reason.of(:worker, pid: 7, why: "by hand").english
  end

  def test_a_key_of_another_version
    assert_equal "@tired days=3", Reason.parse("@tired days=3").english
  end

  def test_figures_that_were_judged
    judged = [["response_p95", "-19.0 %", "-21.3..-16.1 %"], ["of_later", "+1.20 ms", "0..+2 ms"]]
      .map { |name, change, interval| Reason::JudgedFigure.new(name:, change:, interval:) }
    reason = Reason.parse(Reason.of(:judged_both, moved: judged).to_s)
    assert_equal judged, reason.figures(:moved)
    assert_equal "Better and worse: queued + elapsed p95 -19.0 % (-21.3..-16.1 %), " \
      "of_later +1.20 ms (0..+2 ms).", reason.english
  end

  def test_what_would_have_been_shown
    shown = Reason::JudgedFigure.new(name: "cpu_unit", change: "4.5 %")
    said = Reason.parse(Reason.of(:judged_none, visible: [shown]).to_s).english
    assert said.end_with?("would have shown: CPU per request or job 4.5 %."), said
  end
end
