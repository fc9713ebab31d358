# frozen_string_literal: true

module Holdup
  module Advise
    # All that a page or report of advice says: figures and facts, of which each language and form makes its
    # own sentences and tables. AnswerJson keeps it.
    #
    # - `kind`: of the units; `from_s`, `to_s`: the span that was asked about
    # - `result`: Sizing::AdviceResult, nil if no single units were recorded
    # - `findings`: Findings, largest gain first
    # - `load`: MeasuredLoad of all units of that kind; `shortage`:
    #   Analysis::CpuShortage::ShortageFigures, nil if there were enough CPUs
    # - `deadlines`: Sizing::JobDeadlines::DeadlineNeeds or nil; `fleet`:
    #   Sizing::CheapestFleet::FleetComparison, nil if it was not asked for
    # - `backlog`: Sizing::BacklogCompletion::BacklogAnswer, nil if no jobs wait for long
    AdviceAnswer = Data.define(
      :kind, :from_s, :to_s, :result, :findings, :load, :shortage, :deadlines, :fleet, :backlog
    ) do
      def initialize(backlog: nil, **rest)
        super
      end

      # @param situation [Rules::Situation]
      # @param span [Hash{Symbol => Object}] kind, from_s and to_s
      # @param within_s [Integer] in which jobs are to begin
      # @param prices [Sizing::CheapestFleet::FleetPrices, nil] nil: fleets are not compared
      def self.of(situation, span:, within_s: Sizing::JobDeadlines::WITHIN_S, prices: nil)
        recommendation = situation.recommendation
        deadlines = Sizing::JobDeadlines.new(recommendation, within_s:).call if recommendation
        backlog = Sizing::BacklogCompletion.of(recommendation)&.call if recommendation
        fleet = Sizing::CheapestFleet.new(recommendation, prices:).call if prices
        new(**span, result: recommendation&.call, findings: Rules.call(situation), deadlines:, fleet:,
          backlog:,
          load: self::MeasuredLoad.of(situation.summary),
          shortage: Analysis::CpuShortage.of(situation.summary)&.figures)
      end
    end

    # `count`: of requests or jobs; `measured_s`: in that time; `throughput`: per second; `idle_share`: of
    # their time, nil without any
    AdviceAnswer::MeasuredLoad = Data.define(:count, :measured_s, :throughput, :idle_share) do
      # @param summary [Analysis::Summary]
      def self.of(summary)
        new(count: summary.total.count, measured_s: summary.measured_s, throughput: summary.throughput,
          idle_share: summary.total.idle_share)
      end
    end
  end
end
