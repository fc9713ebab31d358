# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/situations"

class Holdup::Advise::AdviceFindingsTest < Minitest::Test
  include Situations

  def expected(gain, interval, **options)
    facts = {memory_bytes: 9, limit_bytes: 10, used_share: 0.9, query: "report"}
    finding = Holdup::Advise::Rules::Finding.new(rule: :memory_headroom, facts:, gain:, interval:, **options)
    %w[en ja].map { |language| text_of(finding, language).values_at("expect", "効果").compact.first }
  end

  def test_a_gain_a_loss_and_an_unknown_effect
    interval = "25.0 % of the response (20.0 % to 30.0 % with 90 % confidence)"
    gain = "queued + GVL wait at the percentile falls by #{interval}"
    loss = "queued + GVL wait at the percentile rises by #{interval}"
    japanese_loss = "キュー待ち + GVL 待ちのパーセンタイルが、応答時間の 25.0 % 分増える（90 % 信頼区間 20.0 %〜30.0 %）"
    assert_equal gain, expected(0.25, 0.2..0.3).first
    assert_equal [loss, japanese_loss], expected(-0.25, -0.3..-0.2)
    assert_match(/\A25.0 % more jobs/, expected(0.25, 0.2..0.3, measure: :throughput).first)
    assert_match(/\Anot predicted/, expected(nil, nil).first)
  end

  # A browser leaves out what has nothing to say.
  def test_parts_that_say_nothing
    facts = {count: 2, differing: %w[threads=3 threads=5], query: "report"}
    finding = Holdup::Advise::Rules::Finding.new(rule: :settings_mixed, remedy: :measuring, facts:)
    text = Holdup::Advise::AdviceFindings.new([finding], words: Holdup::View::Words.new("ja")).first
    assert_equal %w[効果 リスク 元に戻す], text.parts.select(&:empty).map(&:label)
    assert_equal "ありません。", text.parts.find { |part| part.label == "リスク" }.text
    assert_includes text.parts.first.text, "違い：threads=3、threads=5。"
  end
end
