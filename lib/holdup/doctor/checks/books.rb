# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # caused + hand-off = stalled, over all threads of a process: the one sum that shows whether the
      # measuring itself is right. The three are compared as one tick wrote them. Figures of the store are
      # not: it has requests and jobs when they end, and all else as of the last tick.
      module Books
        TOLERANCE = 0.001
        # Where threads share native threads, waits that go on at the tick are in one side only.
        OPEN_NS = 100_000_000

        def self.call(host)
          told = host.segments.select { |process| process.counters[:caused_ns].to_i.positive? }
          return [] if told.empty?
          off = told.select { |process| off?(process) }
          return CheckResult.ok(:books) if off.empty?
          share = off.sum { |process| gap_ns(process) }.fdiv(off.sum { |process| whole_ns(process) })
          CheckResult.warn(:books_gap, pids: off.map(&:pid).join(", "), percent: format("%.2f", share * 100))
        end

        def self.off?(process)
          gap_ns(process).abs > [TOLERANCE * whole_ns(process), OPEN_NS].max
        end

        def self.gap_ns(process)
          explained_ns(process) - process.counters.fetch(:stalled_ns, 0)
        end

        def self.whole_ns(process)
          [explained_ns(process), process.counters.fetch(:stalled_ns, 0)].max
        end

        def self.explained_ns(process)
          process.counters.values_at(:caused_ns, :handoff_ns).sum(&:to_i)
        end
        private_class_method :off?, :gap_ns, :whole_ns, :explained_ns
      end
    end
  end
end
