# frozen_string_literal: true

module Holdup
  module Doctor
    module ProbeChecks
      # Whether this Ruby can be measured at all.
      module RubySupport
        def self.call(host)
          return Checks::CheckResult.ok(:ruby, ruby: host.ruby) unless host.unsupported
          Checks::CheckResult.fail(:unsupported, reason: host.unsupported, ruby: host.ruby)
        end
      end

      # Both clocks are right; the CPU's counter costs less.
      module ClockSource
        def self.call(host)
          return [] unless host.clock_source
          Checks::CheckResult.ok((host.clock_source == "counter") ? :clock_counter : :clock_monotonic)
        end
      end

      # caused + hand-off = stalled, over all threads of a process: the one sum that shows whether the
      # measuring is right. The check compares them as one tick wrote them; the store has requests and jobs
      # when they end, and the rest as of the last tick.
      module StallIdentity
        TOLERANCE = 0.001
        # Only one side has, under M:N threads, the waits that are open at the tick.
        OPEN_NS = 100_000_000

        def self.call(host)
          measured = host.segments.select { |process| process.counters[:caused_ns].to_i.positive? }
          return [] if measured.empty?
          off = measured.select { |process| off?(process) }
          return Checks::CheckResult.ok(:books) if off.empty?
          share = off.sum { |process| gap_ns(process) }.fdiv(off.sum { |process| whole_ns(process) })
          Checks::CheckResult.warn(:books_gap, pids: off.map(&:pid).join(", "),
            percent: format("%.2f", share * 100))
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

      # Ruby does not say under M:N threads why a thread is parked, so io and sleep look the same.
      module MnThreads
        def self.call(host)
          host.facts("mn_threads").include?(true) ? Checks::CheckResult.warn(:mn_threads) : []
        end
      end

      # A fiber that waits for other fibers of its thread is idle to the probe, as if it waited for a
      # database. Readers of the io figure must know that requests run on fibers.
      module Fibers
        def self.call(host)
          host.facts("fibers").include?(true) ? Checks::CheckResult.ok(:fibers) : []
        end
      end

      # Counters that are zero when all is well. Each has a sentence on what it means for the numbers.
      module Anomalies
        COUNTERS = %i[
          discarded abandoned clock_backward resumed_without_ready suspended_twice unknown_holder
          queued_clamped sanitised grow_failures pairs_beyond guard_failures
        ].freeze

        def self.call(host)
          counts = COUNTERS.to_h { |name| [name, host.counter(name)] }.select { |_, count| count.positive? }
          return counts.map { |name, count| Checks::CheckResult.warn(name, count:) } if counts.any?
          host.segments.empty? ? [] : Checks::CheckResult.ok(:no_anomalies)
        end
      end
    end
  end
end
