# frozen_string_literal: true

module Holdup
  module Advice
    # Another number of threads per process, where the recommendation says so.
    module ThreadCount
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && !situation.jobs?
        now = situation.recommendation.current.candidate
        best = situation.recommendation.best.candidate
        return if now.threads == best.threads
        Finding.new(rule: :thread_count, remedy: :setting,
          change: situation.levers.change("threads", best.own_threads), **effect(situation, now, best))
      end

      # Fewer threads in more processes, or with a shorter time slice, may be better where fewer threads alone
      # are not: what is advised is replayed whole.
      def effect(situation, now, best)
        change = {threads: best.own_threads, processes: best.processes,
                  time_slice_ns: best.time_slice_ns}.slice(*best.differences(now))
        situation.evident({now: now.own_threads, best: best.own_threads},
          query: "whatif #{options(**change).join(" ")}", **change)
      end

      def options(threads:, processes: nil, time_slice_ns: nil)
        ["--threads #{threads}", *("--processes #{processes}" if processes),
          *("--slice #{time_slice_ns / TimeSlice::MS}ms" if time_slice_ns)]
      end
      private_class_method :effect, :options
    end
  end
end
