# frozen_string_literal: true

module Holdup
  module Doctor
    module SegmentChecks
      # Writing to a mapped file on a disk can block a request: the folder has to be in memory.
      module SegmentFolder
        UNUSABLE = {
          foreign: :folder_foreign, unreadable: :folder_unreadable, unwritable: :folder_unwritable,
          unmakeable: :folder_unmakeable
        }.freeze

        def self.call(host)
          dir = host.dir
          case host.dir_state
          when :missing then host.nameless.empty? ? Checks::CheckResult.warn(:folder_missing, dir:) : []
          when *UNUSABLE.keys then Checks::CheckResult.fail(UNUSABLE.fetch(host.dir_state), dir:)
          else (host.tmpfs == false) ? Checks::CheckResult.warn(:folder_on_disk,
            dir:) : Checks::CheckResult.ok(:folder, dir:)
          end
        end
      end

      # Which processes measure right now, and which files of the folder can't be read.
      module Segments
        def self.call(host)
          return [] unless %i[ok unwritable].include?(host.dir_state)
          [measuring(host), *host.refused.map { |message|
            Checks::CheckResult.warn(:segment_refused, message:)
          }]
        end

        def self.measuring(host)
          return Checks::CheckResult.warn(:segments_none, dir: host.dir) if host.alive.empty?
          Checks::CheckResult.ok(:segments, alive: host.alive.size, units: host.counter(:units),
            ended: host.segments.size - host.alive.size)
        end
        private_class_method :measuring
      end

      # Whether something removes segments while their processes measure.
      module SegmentNames
        KEYS = {"closed" => :segment_closed}.freeze

        def self.call(host)
          [*nameless(host), *lost(host)]
        end

        def self.nameless(host)
          return [] if host.nameless.empty?
          Checks::CheckResult.fail(:segment_nameless, dir: host.dir, pids: host.nameless.join(", "))
        end

        def self.lost(host)
          now_s = host.now_ns / 1_000_000_000
          lately = host.alive.select { |process| now_s - process.profile["segment.lost_at_s"].to_i < DAY_S }
          by_key = lately.group_by { |process| KEYS.fetch(process.profile["segment.lost"], :segment_lost) }
          by_key.map { |key, processes| Checks::CheckResult.warn(key, **facts(host, processes)) }
        end

        def self.facts(host, processes)
          last_s = processes.map { |process| process.profile["segment.lost_at_s"].to_i }.max
          pids = processes.map(&:pid).sort.join(", ")
          {dir: host.dir, pids:, at: Time.at(last_s).strftime("%F %H:%M %:z")}
        end
        private_class_method :nameless, :lost, :facts
      end

      # Living processes whose ticker has stopped: gauges, and times of threads outside units, are old.
      module Heartbeat
        # Four of the longest ticks.
        STALE_S = 20

        def self.call(host)
          ages = host.alive.reject(&:closed).to_h { |process| [process.pid, age_ns(host, process)] }
          stale = ages.select { |_, age_ns| age_ns / NS > STALE_S }
          return [] if stale.empty?
          Checks::CheckResult.warn(:heartbeat, pids: stale.keys.join(", "), processes: stale.size,
            age_ns: stale.values.max)
        end

        def self.age_ns(host, process) = host.now_ns - process.heartbeat_ns
        private_class_method :age_ns
      end

      # Whether the processes that capture by rule do so, and what it costs them.
      module RuleCaptures
        PROBLEMS = {"no memory" => :capture_no_memory, "no room" => :capture_no_room}.freeze

        def self.call(host)
          ruled = host.alive.select { |process| process.profile["capture.rule"] }
          by_problem = ruled.group_by { |process| PROBLEMS[process.profile["capture.state"]] }
          by_problem.map { |problem, processes| result(problem, processes) }
        end

        def self.result(problem, processes)
          rules = processes.map { |process| process.profile["capture.rule"] }.uniq
          facts = {rule: rules.join("; "), processes: processes.size}
          return Checks::CheckResult.warn(problem, **facts) if problem
          Checks::CheckResult.ok(:capture_rule, **facts, **cost(processes))
        end

        def self.cost(processes)
          shares = processes.filter_map(&:ring_share)
          {waiting: shares.size, cost: shares.empty? ? "-" : format("%.2f %%", 100 * shares.max)}
        end
        private_class_method :result, :cost
      end

      # Whether units fell out of the bounded table of names.
      module SeriesOverflow
        def self.call(host)
          count = host.counter(:overflowed)
          count.zero? ? [] : Checks::CheckResult.warn(:series_overflow, count:)
        end
      end

      # Whether more threads with different names live than a process has accounts for. Those of ended threads
      # are used again, so ids in names do not fill the table.
      module ThreadNames
        def self.call(host)
          count = host.counter(:unaccounted)
          count.zero? ? [] : Checks::CheckResult.warn(:thread_names, count:)
        end
      end
    end
  end
end
