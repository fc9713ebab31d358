# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::AdviceQuestionTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  NOW_S = 1_790_000_000

  def question(kind: :request, seconds: 86_400, objective: Sizing::Objective.new, **others)
    Holdup::Advise::AdviceQuestion.of(kind:, span: NOW_S - seconds..NOW_S, objective:, **others)
  end

  def test_another_question_has_another_key
    slo = Sizing::Slo.new(limit_ns: 1)
    prices = Sizing::CheapestFleet::FleetPrices.new(vcpu_hour: 1.0, gb_hour: 1.0)
    others = [{kind: :job}, {seconds: 86_401}, {objective: Sizing::Objective.new(name: :cost)},
      {objective: Sizing::Objective.new(slo:)}, {prices:}, {host: "web-1"}, {factor: 1.5},
      {host: "web-1", app: "shop"}]
    keys = [question, *others.map { |other| question(**other) }].map { |one| one.key(1) }
    assert_equal others.size + 1, keys.uniq.size
    assert_operator keys.map(&:size).max, :<=, 100
  end

  def test_arguments_that_are_nil_do_not_count
    assert_equal question, question(host: nil)
  end
end
