# frozen_string_literal: true

require "etc"

module Holdup
  module Advise
    module Sizing
      # Replays recorded units on another deployment: predicts latencies where formulas fail because requests
      # are unlike. Deterministic. The simulation is C (ext/holdup/reader/replay.h): over a million events per
      # second.
      #
      # Source: discrete-event simulation of FIFO GVL, time slice and shared CPUs. Predicts mean, p95 and p99
      # of other thread counts within 3 to 8 % if the number of acquisitions of each unit is known (16 to 24 %
      # without).
      class Replay
        COLUMNS = %i[queued stalled held response].freeze
        AT_ONCE = 4

        # @raise [ArgumentError] for an invalid scenario or trace
        # @raise [UnsupportedError] without the C extension
        def self.call(trace, scenario)
          unless defined?(ReplayEngine)
            raise UnsupportedError.new("a replay needs the C extension", "run it on CRuby")
          end
          between = scenario.between
          arrivals, units = trace.with_work(between).packed.zip(trace.concurrent_units.packed).map(&:join)
          groups = scenario.groups.map(&:words)
          packed, totals = ReplayEngine.simulate(arrivals, units, groups, **scenario.options, own: trace.size)
          ReplayResult.new(trace:, columns: unpacked(packed, between), **totals)
        end

        # Replays them as if each next one arrived when one of `population` ends, or when its user has
        # thought, whatever their arrivals.
        # @param answer_ns [Numeric] for which users wait for an answer when it begins, on average
        def self.closed(trace, scenario, population, think_ns: 0, answer_ns: 0)
          outcome = call(trace.backlog, scenario.with(most: population, think_ns:, answer_ns:))
          think_ns.zero? ? outcome.since_admission(population) : outcome
        end

        # @return [Integer] CPUs for a process that has other work: the dashboard may run in an application's
        def self.half_of_cpus
          Etc.nprocessors / 2
        end

        # Calls the block for each thing, several at once: a replay runs without the GVL.
        # @param cpus [Integer] to use, at most
        # @return [Array<Object>] the block's values, in the order of the things
        def self.at_once(things, cpus: half_of_cpus, &)
          at_once = [AT_ONCE, cpus, things.size].min
          return things.map(&) if at_once < 2
          left = things.each_with_index.to_a
          values = Array.new(things.size)
          threads = Array.new(at_once) do
            Thread.new do
              Thread.current.report_on_exception = false
              while (thing, index = left.shift)
                values[index] = yield thing
              end
            end
          end
          threads.each(&:join)
          values
        ensure
          threads&.each(&:kill)
        end

        # Unpacks a column when it is read first. Work before a unit is part of its queue time, in any thread.
        def self.unpacked(packed, between)
          added_ns = between.before_ns.round
          Hash.new do |columns, which|
            column = packed.fetch(which).unpack(Trace::WORDS)
            column.map! { |ns| ns + added_ns } if which == :queued && added_ns.positive?
            columns[which] = column.freeze
          end
        end
        private_class_method :unpacked

        # `columns`: one of COLUMNS => of each unit (ns), concurrent units last (0 for an unfinished one);
        # `handed_ns`: sum of waits while the GVL was passed on; `used_ns`: for each process, how long its GVL
        # was held
        ReplayResult = Data.define(:trace, :columns, :elapsed_ns, :cpu_ns, :events, :handed_ns, :used_ns) do
          def column(which) = columns[which].first(trace.size)

          # The same column of the concurrent units.
          def concurrent_column(which) = columns[which].drop(trace.size)

          # @return [Array<Array<Integer>>] COLUMNS of each unit, concurrent ones included
          def rows = columns.values_at(*COLUMNS).transpose

          # @return [Array<Integer>] units that the pool finished, with these columns; concurrent ones
          #   included
          def of_pool(pool, *columns)
            {trace => :column, trace.concurrent_units => :concurrent_column}.flat_map do |units, reader|
              response, *all = [:response, *columns].map { |which| public_send(reader, which) }
              done = units.pools.fetch(pool, []).select { |unit| response[unit].positive? }
              done.map { |unit| all.map { |column| column[unit] } }
            end
          end

          def histogram(which)
            Histogram.of(column(which))
          end

          def mean(which)
            column(which).sum.fdiv(trace.size)
          end

          # What users feel: waits for a thread and for the GVL.
          def waits
            column(:queued).zip(column(:stalled)).map(&:sum)
          end

          # @return [Float] mean ns of a unit's stall while no thread held the GVL
          def handoff_ns = handed_ns / trace.size

          # Times since a unit was one of the population: the first ones at 0, each further one when one
          # ended.
          def since_admission(population)
            admitted = [*Array.new(population, 0), *ends.sort]
            before = trace.arrivals.zip(admitted).map { |arrival_ns, at_ns| [at_ns - arrival_ns, 0].max }
            since = %i[queued response].to_h do |which|
              [which, columns[which].zip(before).map { |ns, before_ns| ns - before_ns.to_i }]
            end
            with(columns: columns.merge(since))
          end

          # @return [Array<Integer>] ns since the start, at which each unit ended
          def ends
            trace.arrivals.zip(columns[:response]).map(&:sum)
          end

          # @param span [Range] ns since the start
          # @return [ReplayResult] of the units that ended then, without concurrent ones
          def within(span)
            kept = ends.each_with_index.filter_map { |at_ns, unit| unit if span.cover?(at_ns) }
            part = COLUMNS.to_h { |which| [which, columns[which].values_at(*kept)] }
            share = kept.size.fdiv(trace.size)
            with(trace: Trace.new(trace.units.values_at(*kept)), columns: part,
              elapsed_ns: span.end - span.begin, cpu_ns: cpu_ns * share, handed_ns: handed_ns * share,
              used_ns: Array.new(used_ns.size, part[:held].sum.fdiv(used_ns.size)))
          end

          def throughput
            trace.size * 1e9 / elapsed_ns
          end

          # @param units [Array<Integer>] by index in the trace
          # @return [Array<Integer>] those that ended in the span (ns), all from the start (Trace#backlog)
          def ended(span, units = [*0...trace.size])
            ends = column(:response)
            units.select { |unit| ends[unit] > span.begin && ends[unit] <= span.end }
          end

          # The span (ns) in which units end, without that share of them at either end.
          def steady_span(edge)
            ends = column(:response).sort
            ends[(ends.size * edge).floor]..ends[(ends.size * (1 - edge)).floor]
          end

          # @return [Float] mean share of the time that the GVLs were held
          def utilisation
            used_ns.sum / used_ns.size / elapsed_ns
          end

          def cpus = cpu_ns / elapsed_ns
        end
      end
    end
  end
end
