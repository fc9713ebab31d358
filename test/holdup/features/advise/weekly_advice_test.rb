# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/played_advice"

class Holdup::Advise::WeeklyAdviceTest < Minitest::Test
  include PlayedAdvice

  PLAYED = PlayedStore.usual
  PRICES = Holdup::Advise::Sizing::CheapestFleet::FleetPrices.parse("vcpu=0.04,gb=0.005")
  SLO = Holdup::Advise::Sizing::Slo.parse("p95=100ms")

  # @return [Holdup::Advise::AdviceAnswer]
  def answer
    PLAYED.in_a_file do |path|
      store = Holdup::Store.open(path)
      span = {from_s: PLAYED.to_s - 3600, to_s: PLAYED.to_s}
      share_sizing(PLAYED) do
        size_coarsely do
          Holdup::Advise::WeeklyAdviceReader.call(store, **span, slo: SLO, prices: PRICES).first
        end
      end
    ensure
      store&.close
    end
  end

  def said(answer, language: "en")
    Holdup::Advise::WeeklyAdvice.new(answer, words: Holdup::View::Words.new(language)).to_a
  end

  def test_says_what_to_change_and_what_the_cheapest_fleet_would_save
    found = answer
    verdict, saving, offers, note = said(found)
    assert_match(/processes x threads/, verdict)
    assert_match(/cheapest/, saving)
    assert_match(/\ACheapest: \d host.* with .* vCPUs? and processes x threads .*; now: .* hour\.\z/, offers)
    assert_match(/try one host first/, note)
    assert_match(/\A最安：ホスト \d 台/, said(found, language: "ja")[2])
    assert_equal [verdict], said(found.with(fleet: nil))
  end

  def test_says_nothing_where_the_recording_allows_no_advice
    assert_empty said(answer.with(result: nil))
  end
end
