# frozen_string_literal: true

require_relative "certain_claims"
require_relative "truth"

module Bench
  class Coverage
    # An interval, and the figure that it should contain.
    Covered = Data.define(:planted, :low, :high) do
      def covers? = planted.between?(low, high)

      def width = high - low
    end

    # What was found in one recording: `growth` (Covered) and `grows` (whether models count it); nil without
    # advice: `gain` (Covered), `own` and `others` (errors of ceilings, shares), `grade`; `claims`: what is
    # certain without a grade (CertainClaims::Claim), nil where nothing is.
    Found = Data.define(:planted, :growth, :grows, :gain, :own, :others, :grade, :claims) do
      def initialize(gain: nil, own: nil, others: [], grade: nil, claims: nil, **rest)
        super
      end
    end

    # Advice about one other setting.
    class AdviceAbout < SIZING::Recommendation
      # @param other [Candidate] of which the gain is asked
      def initialize(recording, other:, **options)
        super(recording, **options)
        @other = other
      end

      def best = choice.predictions.find { |prediction| prediction.candidate == @other }

      private

      def choice
        @choice ||= CandidateChoice.new([now, @other].map { |one| search.of(one) }, now:, objective:, bias:)
      end
    end

    # One recording of a planted deployment, and what is estimated from it.
    class Trial
      # The setting (processes, threads) that is advised: it serves what either recorded one does.
      ADVISED = [2, 3].freeze
      # Processes of the recorded setting => three other settings.
      CEILINGS = {1 => [[1, 2], [1, 10], [2, 3]], 2 => [[1, 5], [2, 2], [2, 10]]}.freeze

      # @param drawn [Plan::Drawn]
      # @param truth [Truth] of these units and costs
      # @param options [Hash] rounds and units of the advice
      def initialize(drawn, truth:, **options)
        @options = options
        @drawn = drawn
        @planted = drawn.planted
        @truth = truth
      end

      # @return [Found]
      def call
        estimate = SIZING::CoherencyEstimator.new(recording.all).overall
        growth = Covered.new(planted: @planted.growth, low: estimate.low, high: estimate.high)
        found = Found.new(planted: @planted, growth:, grows: estimate.grows?)
        advised? ? with_advice(found) : found
      end

      private

      def recording = @recording ||= @planted.recording(@drawn.seed, @truth)

      def stored = @stored ||= @planted.stored(recording)

      # There is none about too few units, or a single block of time.
      def advised?
        @drawn.advice && !advice.sufficiency.too_little?
      end

      def advice
        @advice ||= AdviceAbout.new(stored, other:, seed: @drawn.seed,
          limits: SIZING::ResourceLimits.new(vcpus: Planted::VCPUS), **@options)
      end

      def with_advice(found)
        found.with(grade: advice.self_test.grade, own: ceiling_error(@planted.now),
          others: others.map { |candidate| ceiling_error(candidate) }, gain: (gain if gain?),
          claims: (claims if @drawn.gain))
      end

      # What the self-test doubts is no advice.
      def gain?
        @drawn.gain && advice.self_test.grade != :c
      end

      def claims
        found = advice.dominance or return
        CertainClaims.new(found, @planted, @truth).call
      end

      def gain
        Covered.new(planted: @truth.gain(@planted, other), low: advice.interval.begin,
          high: advice.interval.end)
      end

      def ceiling_error(candidate)
        advice.forecast.estimate(candidate).ceiling / @truth.ceiling(candidate) - 1
      end

      def other = candidate(*ADVISED)

      def others
        CEILINGS.fetch(@planted.processes).map { |size| candidate(*size) }
      end

      def candidate(processes, threads)
        @planted.now.with(processes:, threads:)
      end
    end
  end
end
