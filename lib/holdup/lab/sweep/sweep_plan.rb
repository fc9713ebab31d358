# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # What a sweep is to try, complete enough to go on with it later.
    #
    # - `command`, `root`, `port`: see Served; `requests`: lines, see Requests
    # - `arms`: Array of Arm, the baseline first and again right after it; `rates`: requests per second,
    #   ascending
    # - `tool`: of LoadTools, nil: the built-in load; where it is a closed loop, the rates are connections,
    #   each of which asks again as soon as it has an answer
    # - `seconds` of each rate; `rounds`; `warm_up_s` at most; `slo`: as it was typed, nil: none
    # - `recorded`: where the requests are those of a recording, Recorded#to_h
    Sweep::SweepPlan = Data.define(:command, :root, :port, :requests, :arms, :rates, :seconds, :rounds,
      :warm_up_s, :slo, :tool, :recorded) do
      # @param arms [Array<Arm>] each setting once
      # @param baseline [Arm] one of them
      # @return [Array<Arm>] with the baseline first, and once more
      def self.ordered(arms, baseline)
        [baseline, baseline.with(again: true), *(arms - [baseline])]
      end

      # @param hash [Hash{Symbol => Object}] from to_h
      # @return [Plan]
      def self.from(hash)
        new(**hash.slice(*members), arms: hash.fetch(:arms).map { |arm| Arm.from(arm) })
      end

      def initialize(port: nil, warm_up_s: 45, slo: nil, tool: nil, recorded: nil, **rest)
        super
      end

      # @return [Boolean] whether slow answers keep further requests back
      def closed? = LoadTools::CLOSED.include?(tool)

      # @return [Array<Array(Integer, Arm)>] round and arm, in the order in which they are tried
      def steps
        (0...rounds).flat_map { |round| Rounds.order(arms, round).map { |arm| [round, arm] } }
      end

      # @return [Arm]
      def baseline = arms.first

      # @return [Array<Route>]
      def routes = Requests.routes(requests)

      # @return [Sizing::Slo]
      def promise
        (slo && Sizing::Slo.parse(slo)) || Sizing::Slo.new
      end

      # @return [Float] seconds of a step, before anything is known
      def step_s
        5 + warm_up_s / 2.0 + seconds * rates.size
      end

      # @return [Hash] for a file
      def to_h = super.merge(arms: arms.map(&:to_h))
    end
  end
end
