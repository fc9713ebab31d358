# frozen_string_literal: true

require_relative "truth"

module Bench
  class Coverage
    # What was said of settings without a grade, because nearly all explanations of a recording agree on it.
    class CertainClaims
      # `answer`: see Dominance::ComparedSetting, or :enough_threads; `gain`: the true one, against the
      # present setting (of more threads: the largest, against these)
      Claim = Data.define(:answer, :gain) do
        def true?
          alike = SIZING::Dominance::ALIKE
          case answer
          when :better then gain.positive?
          when :worse then gain.negative?
          when :alike then gain.abs <= alike
          else gain <= alike
          end
        end
      end

      # @param found [Dominance::DominanceResult]
      # @param truth [Truth]
      def initialize(found, planted, truth)
        @found = found
        @planted = planted
        @truth = truth
      end

      # @return [Array<Claim>]
      def call
        said = @found.settings.reject { |one| one.answer == :unknown }
        claims = said.map { |one| Claim.new(answer: one.answer, gain: gain(one.candidate)) }
        @found.enough ? [*claims, enough] : claims
      end

      private

      def gain(candidate)
        (candidate == @found.now) ? 0.0 : @truth.gain(@planted, candidate)
      end

      def enough
        threads = @found.enough.candidate
        settings = [@found.now, *@found.settings.map(&:candidate)]
        more = settings.select { |one| one.processes == threads.processes && one.threads > threads.threads }
        Claim.new(answer: :enough_threads, gain: more.map { |one| gain(one) - gain(threads) }.max)
      end
    end
  end
end
