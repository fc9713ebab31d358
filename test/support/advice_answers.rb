# frozen_string_literal: true

require "holdup/loader"

# Answers that pages and reports of advice are made of, without a store.
module AdviceAnswers
  module_function

  # @param recommendation [Holdup::Advise::Sizing::Recommendation, Holdup::Advise::Sizing::AdviceResult, nil]
  # @param summary [Holdup::Analysis::Summary, nil]
  # @return [Holdup::Advise::AdviceAnswer]
  def of(recommendation, findings: [], summary: nil, kind: :request)
    computed = recommendation.is_a?(Holdup::Advise::Sizing::Recommendation)
    result = computed ? recommendation.call : recommendation
    load = summary && Holdup::Advise::AdviceAnswer::MeasuredLoad.of(summary)
    shortage = summary && Holdup::Analysis::CpuShortage.of(summary)&.figures
    Holdup::Advise::AdviceAnswer.new(kind:, from_s: 0, to_s: 1, result:, findings:, load:, shortage:,
      deadlines: nil, fleet: nil)
  end

  # @return [Hash{Symbol => Object}] of an answer, for programs
  def json(recommendation) = Holdup::Advise::JsonAdvice.new(of(recommendation)).to_h
end
