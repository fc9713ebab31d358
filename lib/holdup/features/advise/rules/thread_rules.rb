# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module ThreadRules
        # Another number of threads per process, where the recommendation says so.
        module ThreadCount
          module_function

          def call(situation)
            return unless situation.change? && !situation.jobs?
            now = situation.recommendation.current.candidate
            best = situation.recommendation.best.candidate
            return if now.threads == best.threads
            change = situation.levers.change("threads", best.own_threads)
            Finding.new(rule: :thread_count, remedy: :setting, change:, **effect(situation, now, best))
          end

          # The advised setting is replayed as a whole: fewer threads in more processes, or with a shorter
          # time slice, may be better when fewer threads alone are not.
          def effect(situation, now, best)
            all = {threads: best.own_threads, processes: best.processes, time_slice_ns: best.time_slice_ns}
            change = all.slice(*best.differences(now))
            facts = {now: now.own_threads, best: best.own_threads}
            situation.evident(facts, query: "whatif #{options(**change).join(" ")}", **change)
          end

          def options(threads:, processes: nil, time_slice_ns: nil)
            options = ["--threads #{threads}"]
            options << "--processes #{processes}" if processes
            options << "--slice #{time_slice_ns / MS}ms" if time_slice_ns
            options
          end
          private_class_method :effect, :options
        end

        # Another number of processes on a host, where the recommendation says so.
        module ProcessCount
          module_function

          def call(situation)
            return unless situation.change?
            recommendation = situation.recommendation
            now = recommendation.current.candidate.processes
            best = recommendation.best.candidate.processes
            return if now == best
            facts = {now:, best:, memory_bytes: recommendation.best.memory_bytes}
            effect = situation.evident(facts, query: "whatif --processes #{best}", processes: best)
            change = situation.levers.change("processes", best)
            Finding.new(rule: :process_count, remedy: :setting, change:, **effect, limits: [])
          end
        end

        # Requests that mostly wait and keep threads from others: Puma 8 runs requests marked as io beyond the
        # thread limit, which adds no stall, unlike more threads for all.
        module IoThreads
          LEVER = "max_io_threads"

          module_function

          def call(situation)
            return unless situation.sized? && !situation.jobs? && situation.levers[LEVER]
            row = waiting_row(situation) or return
            count = threads(situation, row)
            facts = {name: row.name, best: count, idle_share: row.idle_share,
                     occupied_share: occupied_share(row, situation)}
            query = "whatif --io #{situation.quoted(row.name)} --max-io-threads #{count}"
            effect = situation.evident(facts, query:, above: WORTH, io: situation.literal(row.name),
              io_threads: count)
            return unless effect
            change = situation.levers.change(LEVER, count)
            Finding.new(rule: :io_threads, remedy: :setting, change:, **effect)
          end

          def waiting_row(situation)
            waiting = situation.summary.rows.select do |row|
              Sizing::IoUnits.wait?(row.idle_share, occupied_share(row, situation))
            end
            waiting.max_by(&:wall_ns)
          end

          def occupied_share(row, situation)
            row.wall_ns.fdiv(situation.total.wall_ns)
          end

          # The advised setting's number, or the number of such requests at the peak.
          def threads(situation, row)
            recommendation = situation.recommendation
            advised = situation.change? ? recommendation.best.candidate.io_threads : 0
            return advised if advised.positive?
            rate = recommendation.rate * row.count / situation.total.count / recommendation.now.processes
            Sizing::IoUnits.threads(rate, row.per_unit(row.wall_ns))
          end
          private_class_method :waiting_row, :occupied_share, :threads
        end

        # A connection that is kept keeps a thread of Puma 6 from others: up to ten requests in a row, and up
        # to 0.2 s before each of them. Other requests wait in the queue meanwhile, though few requests are in
        # flight. Puma 7 puts such a connection behind those that wait.
        module KeptConnections
          CHANGE = "max_fast_inline 1"
          # The first version that lets others go first.
          FAIR = 7
          # Share of the response. Puma 6 had 0.29 to 0.58 with 32 kept connections for 5 threads, and at most
          # 0.06 with a connection for each request.
          LEAST_WAITED = 0.1

          module_function

          def call(situation)
            recording = situation.recommendation&.recording
            version = situation.fact("server_version")
            return if situation.jobs? || recording.nil? || recording.threads.to_i < 2
            return unless situation.fact("server") == "puma" && version.to_i < FAIR
            share = waited_share(recording)
            return if share < LEAST_WAITED
            change = Finding::ProposedChange.new(new: CHANGE, how: :restart)
            Finding.new(rule: :kept_connections, remedy: :setting, change:, weight: share,
              facts: {version:, waited_share: share})
          end

          # @param recording [Sizing::Recording]
          # @return [Float] of the response of all requests, waits that no request explains
          def waited_share(recording)
            units = recording.figures.unit_samples
            response_ns = units.sum { |unit| (unit.wall_ns + unit.queued_ns.to_i) * unit.weight }
            waited_ns = units.sum { |unit| unexplained_ns(unit, recording) * unit.weight }
            response_ns.positive? ? waited_ns.fdiv(response_ns) : 0.0
          end

          # A request that finds another thread free may wait twice for all that are in flight: when it is
          # accepted and when its thread begins. Each of them may hold the GVL for a time slice.
          def unexplained_ns(unit, recording)
            return 0 unless unit.concurrency && unit.concurrency + 1 < recording.threads
            usual_ns = recording.figures.between.before_ns + 2 * recording.time_slice_ns * unit.concurrency
            [unit.queued_ns.to_i - usual_ns, 0].max
          end
          private_class_method :waited_share, :unexplained_ns
        end

        # A shorter time slice: light requests wait less behind heavy ones, at nearly no cost. An environment
        # variable sets it since Ruby 3.4.
        module TimeSlice
          VARIABLE = "RUBY_THREAD_TIMESLICE"

          module_function

          def call(situation)
            return unless situation.sized? && !situation.keep? && situation.recommendation.recording.slices?
            best = advised(situation) || worthwhile(situation)
            return unless best
            slice_ns = best.candidate.time_slice_ns
            now_ns = situation.recommendation.now.time_slice_ns
            effect = situation.evident({slice_ns:, now_ns:}, query: "whatif --slice #{slice_ns / MS}ms",
              time_slice_ns: slice_ns)
            change = change(situation, slice_ns, now_ns)
            Finding.new(rule: :time_slice, remedy: :setting, change:, **effect)
          end

          # The variable sets the slice of threads with priority 0: job threads get less of it.
          def change(situation, slice_ns, now_ns)
            steps = situation.jobs? ? situation.fact("job_priority").to_i : 0
            new, old = [slice_ns, now_ns].map { |slice| "#{VARIABLE}=#{(slice / 2.0**steps / MS).round}" }
            Finding::ProposedChange.new(new:, old:, where: SettingPlace.variable(VARIABLE), how: :restart)
          end

          # The estimate that has the time slice of the advised setting, if that is another one.
          def advised(situation)
            return unless situation.change?
            slice_ns = situation.recommendation.best.candidate.time_slice_ns
            slices(situation.recommendation).find { |one| one.candidate.time_slice_ns == slice_ns }
          end

          # What the time slice brings alone.
          def worthwhile(situation)
            best = slices(situation.recommendation).max_by { |prediction| gain(situation, prediction) }
            best if best && gain(situation, best) > WORTH
          end

          # Predictions that differ from the present in the time slice alone.
          def slices(recommendation)
            now = recommendation.now
            recommendation.predictions.select do |prediction|
              candidate = prediction.candidate
              next if candidate == now || !prediction.replayed?
              candidate.with(time_slice_ns: now.time_slice_ns) == now
            end
          end

          def gain(situation, prediction)
            situation.recommendation.gain_of(prediction.candidate)
          end
          private_class_method :change, :advised, :worthwhile, :slices, :gain
        end

        # Only a thread's priority shortens the time slice before Ruby 3.4. Lowering it while a thread runs
        # what makes others stall makes only these give way sooner. Native code ignores priority.
        module LowerPriority
          STEPS = 2

          module_function

          def call(situation)
            recording = situation.recommendation&.recording
            return if recording.nil? || recording.slices?
            row, share = GvlRules::Convoy.cause(situation)
            return if row.nil? || native?(row) || !situation.sized?
            facts = {name: row.name, steps: STEPS, caused_share: share}
            effect = situation.evident(facts, above: WORTH,
              query: "whatif --priority #{situation.quoted(row.name, "=-#{STEPS}")}",
              priorities: {situation.literal(row.name) => -STEPS})
            return unless effect
            line = "Thread.current.priority -= #{STEPS}, ensure += #{STEPS}"
            change = Finding::ProposedChange.new(new: line)
            Finding.new(rule: :priority, change:, **effect)
          end

          def native?(row)
            GvlRules::NativeHolds.hold(row) >= GvlRules::NativeHolds::LONG_NS
          end
          private_class_method :native?
        end
      end
    end
  end
end
