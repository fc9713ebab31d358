# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module GvlRules
        # Long holds make all other threads wait. Few series cause most of the stall, and others suffer from
        # it.
        module Convoy
          # Half of a time slice.
          LONG_NS = 50_000_000

          module_function

          def call(situation)
            row, share = cause(situation)
            return unless row
            facts = {name: row.name, caused_share: share, hold_ns: NativeHolds.hold(row),
                     count_share: row.count.fdiv(situation.total.count), place: situation.place_of(row),
                     query: "report --full --name #{situation.quoted(row.name)}"}
            Finding.new(rule: :convoy, weight: share * situation.total.split.share(:stalled), facts:,
              **situation.effect(without: situation.literal(row.name)))
          end

          # @return [Array(Analysis::SeriesRow, Float), nil] the row that causes most stall, and its share of
          #   it
          def cause(situation)
            return if situation.total.split.share(:stalled) < Analysis::Thresholds::STALLED
            blame = situation.summary.blame
            row = situation.summary.rows.find { |each| each.name == blame.series.first&.name && long?(each) }
            share = row && blame.caused_share(blame.series.first)
            [row, share] if row && share >= Analysis::Thresholds::CAUSED
          end

          def long?(row)
            NativeHolds.hold(row) >= LONG_NS
          end
          private_class_method :long?
        end

        # Ruby code gives the GVL up after 100 ms, but only while another thread waits: long holds alone prove
        # nothing about C code. The rule names native code if others waited longer than a slice in each unit
        # and no time slice ended its holds.
        module NativeHolds
          # A slice is 100 ms and a timer checks every 10 ms: a hold of more than two slices ignored the
          # timer.
          LONG_NS = 250_000_000
          STARVED = 0.5
          # Share of the holds that a slice would have ended.
          PREEMPTED = 0.5

          module_function

          def call(situation)
            long = situation.summary.rows.select { |row| hold(row) >= LONG_NS && computes?(row) }
            row = long.max_by(&:caused_ns)
            return unless row&.caused_ns&.positive?
            rule = native?(row, situation.threads) ? :native : :long_hold
            weight = row.caused_ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1)
            facts = {**facts(row), query: "report --full --name #{situation.quoted(row.name)}"}
            Finding.new(rule:, weight:, facts:, **situation.effect(without: situation.literal(row.name)))
          end

          def facts(row)
            {name: row.name, hold_ns: hold(row), max_ns: row.histogram(:longest_hold).max,
             waited_ns: row.per_unit(row.caused_ns), preempted: preempted(row)}
          end

          # A holder without a CPU holds for long as well.
          def computes?(row)
            row.split.share(:starved) <= STARVED * row.split.share(:cpu)
          end

          # Even if all other threads of the process waited at once, each waited this long.
          def native?(row, threads)
            return false unless threads
            waited_ns = row.per_unit(row.caused_ns) / [threads - 1, 1].max
            waited_ns >= LONG_NS && preempted(row) < PREEMPTED
          end

          def preempted(row)
            row.per_unit(row.sum(:preemptions)).to_f
          end

          # @return [Integer] ns: 95th percentile of the longest holds
          def hold(row)
            row.histogram(:longest_hold).quantile(0.95).to_i
          end
          private_class_method :facts, :computes?, :native?, :preempted
        end

        # Requests that take more of the GVL from others than their share of the CPU, without long holds: one
        # more process for these few may do what two more for all would.
        module IsolateEndpoints
          # Share of the stall beyond its share of the CPU.
          BEYOND = 0.1

          module_function

          def call(situation)
            return if situation.jobs? || !situation.sized? || Convoy.cause(situation)
            row, shares = cause(situation)
            return unless row
            query = "whatif --own-pool #{situation.quoted(row.name)}"
            own_pool = Sizing::WhatIf::OwnPool.new(name: situation.literal(row.name))
            effect = situation.evident({name: row.name, **shares}, query:, above: WORTH, own_pool:)
            return unless effect
            weight = shares[:caused_share] * situation.total.split.share(:stalled)
            Finding.new(rule: :isolation, weight:, **effect)
          end

          # @return [Array(Analysis::SeriesRow, Hash), nil] the row that causes most stall, its shares of
          #   stall and CPU
          def cause(situation)
            blame = situation.summary.blame
            row = situation.summary.rows.find { |each| each.name == blame.series.first&.name } or return
            shares = {caused_share: blame.caused_share(blame.series.first),
                      cpu_share: row.sum(:cpu_ns).fdiv([situation.total.sum(:cpu_ns), 1].max)}
            [row, shares] if shares[:caused_share] - shares[:cpu_share] > BEYOND
          end
          private_class_method :cause
        end

        # Releases the GVL thousands of times and queues for it again: usually queries in a loop, or small
        # reads.
        module ReleaseStorm
          MANY = 1000
          STALLED = 0.02

          module_function

          def call(situation)
            row = busiest(situation.summary.rows)
            return unless row && situation.total.split.share(:stalled) >= STALLED
            facts = {name: row.name, acquisitions: acquisitions(row), stall_ns: row.per_unit(row.stalled_ns),
                     each_ns: row.stall_per_acquisition,
                     query: "report --full --name #{situation.quoted(row.name)}"}
            weight = row.stalled_ns.fdiv([situation.total.wall_ns, 1].max)
            effect = situation.effect(halved: situation.literal(row.name))
            Finding.new(rule: :release_storm, weight:, facts:, **effect)
          end

          def busiest(rows)
            many = rows.select { |row| acquisitions(row) >= MANY }
            many.max_by { |row| row.sum(:acquisitions) }
          end

          def acquisitions(row)
            row.per_unit(row.sum(:acquisitions)).to_f
          end
          private_class_method :busiest
        end

        # The series that stalls most, with half of its acquisitions: each acquisition waits at the end of the
        # queue for the GVL. ReleaseStorm reports thousands of them.
        module ManyAcquisitions
          FEW = 4

          module_function

          def call(situation)
            return unless situation.sized?
            row = situation.summary.rows.max_by(&:stalled_ns) or return
            acquisitions = ReleaseStorm.acquisitions(row)
            return unless (FEW...ReleaseStorm::MANY).cover?(acquisitions)
            facts = {name: row.name, acquisitions:, stall_ns: row.per_unit(row.stalled_ns)}
            query = "whatif --halve-acquisitions #{situation.quoted(row.name)}"
            effect = situation.evident(facts, query:, above: WORTH, halved: situation.literal(row.name))
            return unless effect
            weight = row.stalled_ns.fdiv([situation.total.wall_ns, 1].max)
            Finding.new(rule: :acquisitions, weight:, **effect)
          end
        end

        # Threads wait for each other's Mutex, Queue or monitor: no setting helps against a lock.
        module LockContention
          MUCH = 0.1

          module_function

          def call(situation)
            split = situation.total.split
            return if situation.summary.empty? || split.share(:lock) < MUCH
            return if LockRules::LongWaits.call(situation)
            worst = situation.summary.rows.max_by { |row| row.sum(:lock_ns) }
            facts = {lock_share: split.share(:lock), name: worst.name,
                     each_ns: worst.per_unit(worst.sum(:lock_ns)),
                     query: "report --full --name #{situation.quoted(worst.name)}"}
            Finding.new(rule: :lock_contention, weight: split.share(:lock), facts:)
          end
        end

        # Calls that look slow to other tools, although the other system answers fast: the answer is there,
        # and the thread waits for the GVL. Tuning the query or the server gains nothing.
        module MisleadingCalls
          module_function

          def call(situation)
            lines = situation.summary.misleading_calls.reject(&:inside?)
            line = lines.max_by(&:stalled_ns) or return
            times = line.misleading
            facts = {name: line.name, call: [line.system, line.target].compact.join(" "),
                     "#{times.of}_elapsed_ns": times.elapsed_ns, "#{times.of}_remote_ns": times.remote_ns,
                     stalled_share: line.stalled_share, cause: cause(situation, line),
                     query: "report --name #{situation.quoted(line.name)}"}
            weight = line.stalled_ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1)
            Finding.new(rule: :misleading_calls, weight:, facts:)
          end

          # @return [String, nil] the request or job that stalled them most
          def cause(situation, line)
            pair = situation.summary.pairs.find { |one| one.victim.name == line.name && one.named? }
            pair.causer.name if pair&.causer&.unit?
          end
          private_class_method :cause
        end
      end
    end
  end
end
