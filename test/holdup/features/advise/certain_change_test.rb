# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::CertainChangeTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  NOW = Sizing::Candidate.new(processes: 1, threads: 5)
  Refusal = Data.define(:cause_sentence)

  # Of one candidate, with these gains.
  Refused = Data.define(:gains) do
    def now = NOW

    def dominance(candidates)
      settings = candidates.map { |one| Sizing::Dominance::ComparedSetting.of(one, gains) }
      Sizing::Dominance::DominanceResult.new(now:, settings:, enough: nil, tried: 40, effective: 30.0,
        events: 1, percentile: 0.95)
    end
  end

  def page(gains, **change)
    change = Sizing::WhatIf::WhatIfChange.new(**change)
    refusal = Refusal.new("Record for longer.")
    words = Holdup::View::Words.new("en")
    Holdup::Advise::CertainChange.new(Refused.new(gains), change, words:, refusal:).page(title: "What if")
  end

  def test_says_what_is_certain_of_the_change
    found = page([0.2] * 20, threads: 3)
    assert_equal "What if", found.title
    assert_match(/\A1 x 3 is better than 1 x 5 in 20 of 20 /, found.blocks.first.text)
  end

  def test_nothing_where_explanations_disagree
    assert_nil page([0.2, -0.2] * 10, threads: 3)
  end

  def test_nothing_of_other_loads_and_of_the_present_setting
    assert_nil page([0.2] * 20, factor: 2.0)
    assert_nil page([0.2] * 20, threads: 5)
  end
end
