# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Another number of threads per process, where the recommendation says so.
    module ThreadCount
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && !situation.jobs?
        now, best = situation.recommendation.current.candidate, situation.recommendation.best.candidate
        return if now.threads == best.threads
        Finding.new(rule: :thread_count, remedy: :setting, change: situation.levers.change("threads", best.own_threads), **effect(situation, now, best))
      end

      # Fewer threads in more processes may be better where fewer threads alone are not: what is advised is replayed whole.
      def effect(situation, now, best)
        change = {threads: best.own_threads, processes: best.processes}.slice(*best.differences(now))
        situation.evident({now: now.own_threads, best: best.own_threads}, query: "whatif #{change.map { |name, count| "--#{name} #{count}" }.join(" ")}", **change)
      end
      private_class_method :effect
    end
  end
end
