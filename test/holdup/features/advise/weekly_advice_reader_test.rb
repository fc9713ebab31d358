# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/played_advice"

class Holdup::Advise::WeeklyAdviceReaderTest < Minitest::Test
  include PlayedAdvice

  PLAYED = PlayedStore.usual
  PRICES = Holdup::Advise::Sizing::CheapestFleet::FleetPrices.parse("vcpu=0.04,gb=0.005")
  SLO = Holdup::Advise::Sizing::Slo.parse("p95=100ms")

  # @return [Array<Holdup::Advise::AdviceAnswer>] of requests and jobs
  def read(path, slo: nil, prices: nil)
    store = Holdup::Store.open(path)
    span = {from_s: PLAYED.to_s - 3600, to_s: PLAYED.to_s}
    share_sizing(PLAYED) do
      size_coarsely { Holdup::Advise::WeeklyAdviceReader.call(store, **span, slo:, prices:) }
    end
  ensure
    store&.close
  end

  def test_computes_what_the_cheapest_fleet_would_save
    PLAYED.in_a_file do |path|
      answers = read(path, slo: SLO, prices: PRICES)
      assert_equal [[:request, nil]], answers.map { |answer| [answer.kind, answer.fleet.reason] }
    end
  end

  def test_takes_what_collectors_keep_where_there_is_no_price
    PLAYED.in_a_file do |path|
      assert_empty read(path)
      run = -> { holdup("advise", "--keep", now_s: PLAYED.to_s, env: {"HOLDUP_STORE" => path}) }
      share_sizing(PLAYED) { size_coarsely { 4.times { run.call } } }
      assert_equal [[:request, nil]], read(path).map { |answer| [answer.kind, answer.fleet] }
    end
  end
end
