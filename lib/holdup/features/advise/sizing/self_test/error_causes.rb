# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Why a replay of the present may miss: figures of the recording that a replay does not model, and the
      # size from which each can explain an error.
      class SelfTest::ErrorCauses
        # Grade A allows an error of 10 % of the response: less than half of that does not explain a miss.
        SHARE = 0.05
        ALLOWED = 2 * SHARE
        # The 90 % interval of a figure of which half of the replays are further off than that: Student's t
        # with three degrees of freedom is 0.765 in half of the cases, 2.353 in a tenth. Of simulated
        # recordings of three minutes of requests and jobs in one process, those with grade A beyond it were
        # predicted up to 90 % too slow.
        CHANCE = ALLOWED * 2.353 / 0.765
        # Error of a saturated setting's throughput from which the ceiling is wrong.
        CEILING = 0.05
        # Share of the peak that the GVL is held: beyond it the length of a queue is mostly chance.
        # Peak against mean: beyond it a minute has bursts that its mean rate hides.
        SWINGS = 3.0
        # How much longer the machine takes for the same work in slow minutes than in fast ones.
        MACHINE_SPEED = Recording::RecordingChecks::MACHINE_VARIATION - 1
        # Share of units from which a load counts as constant.
        MOST = 0.5
        LIMITS = {overload: CEILING, starved: SHARE, resource_waits: SHARE, busy: Analysis::Thresholds::FULL,
                  swings: SWINGS,
                  bursts: SHARE, pace: SHARE, chance: SHARE, waits_for_answers: SHARE, unlike_threads: SHARE,
                  handoff: SHARE, growth: CEILING / 2, mix: Traffic::MIX, other_cpus: 2 * CEILING,
                  constant_load: MOST, pauses: 2 * CEILING, ceiling: CEILING,
                  machine_speed: MACHINE_SPEED}.freeze

        # What a replay gave. `errors`: see SelfTestResult; `chance`: {Symbol => Float}, by how much each
        # error may differ from zero by chance alone, in 90 % of cases, for those where that is known;
        # `predicted`: MeasuredFigures or nil; `closed`: whether units came as others ended; `other_cpus`: by
        # how much the ceiling of one more process changes with what other processes may need for a unit;
        # `constant_load`: share of the units that always had as many others, where that hides what
        # concurrency costs; `refuted`: whether the setting served more than the model's ceiling for it;
        # `pauses`: see ClosedLoad::ThinkingUsers#vagueness
        ReplayErrors = Data.define(:errors, :chance, :predicted, :closed, :other_cpus, :constant_load,
          :refuted, :pauses) do
          def initialize(errors: {}, chance: {}, predicted: nil, closed: false, other_cpus: 0.0,
            constant_load: 0.0, refuted: false, pauses: 0.0)
            super
          end

          def missed? = missed.any?

          # Whether nothing but chance has to be wrong.
          def by_chance?
            missed? && missed.all? { |name, error| error.abs <= chance.fetch(name, 0.0) }
          end

          # Whether as small an error as grade A allows is itself chance: replays of the same recording are
          # more likely further off than not.
          def exact_by_chance?
            !missed? && chance.values.any? { |share| share > CHANCE }
          end

          # @return [Float] by how much the mean that varies most may differ from zero by chance alone
          def most_chance = chance.values_at(:response, :wait).compact.max || 0.0

          private

          def missed = errors.select { |_, error| error.abs > ALLOWED }
        end

        # What was found, without the recording. `call`, `figures`: see ErrorCauses
        FoundCauses = Data.define(:call, :figures)

        # @param current [Candidate] the recorded setting
        # @param outcome [ReplayErrors]
        def initialize(recording, traffic:, current:, outcome: ReplayErrors.new)
          @recording = recording
          @traffic = traffic
          @current = current
          @outcome = outcome
        end

        # @return [Array<Symbol>] causes that its figures support, the largest against their limits first,
        #   else :unknown (unless a ceiling is refuted, which says enough); and :queue_unknown
        def call
          strength = figures.to_h { |name, figure| [name, figure / LIMITS.fetch(name)] }
          found = strength.select { |_, times| times > 1 }.sort_by { |_, times| -times }.map(&:first)
          found.delete(:chance) unless @outcome.by_chance? || @outcome.exact_by_chance?
          # A queue that grows all the time waits for nothing else.
          found -= %i[busy swings bursts chance] if found.include?(:overload)
          # Units that wait for answers don't come independently.
          found -= %i[bursts pace] if found.include?(:waits_for_answers)
          found.delete(:pace) if found.size > 1 && !evenly?
          found << :unknown if found.empty? && !@outcome.refuted
          [*found, *(:queue_unknown unless measured.queued_ns)]
        end

        # @return [FoundCauses]
        def as_value = FoundCauses.new(call:, figures:)

        # @param vagueness [Float] see ClosedLoad::ThinkingUsers
        # @return [ErrorCauses] of the same replays, if users may have sent what they replay without any
        def with_pauses(vagueness)
          self.class.new(@recording, traffic: @traffic, current: @current,
            outcome: @outcome.with(pauses: vagueness))
        end

        # Whether predictions may be wrong although the present is replayed exactly.
        def doubtful?
          varied_machine? || vague_ceiling? || long_resource_waits? || @outcome.exact_by_chance? ||
            %i[mix other_cpus constant_load pauses].any? { |name| figures[name] > LIMITS.fetch(name) }
        end

        # Whether waits for locks and connections may explain errors: these units don't wait for the GVL.
        def resource_waits? = figures[:resource_waits] > LIMITS.fetch(:resource_waits)

        # Whether it has a load test without pauses in it. Of a sample, busy threads look the same.
        def load_test?
          figures[:waits_for_answers] > LIMITS.fetch(:waits_for_answers) && !closed_load.sampled?
        end

        # Whether replays wait for longer than was measured, beyond chance.
        def missing_waits? = missing_waits.positive?

        # Whether units wait so long for locks and connections that other settings, with other such waits, may
        # be predicted wrongly.
        def long_resource_waits? = figures[:resource_waits] > ALLOWED

        # Whether the machine computed at so many speeds that no replay can be exact, though it may seem so.
        def varied_machine? = figures[:machine_speed] > MACHINE_SPEED

        # Whether the ceilings of other settings rest on a growth that the recording hardly shows, though it
        # may be replayed exactly. An interval of 90 % that ends 10 % away has a standard deviation of 6 %:
        # about half of such ceilings are more than 4 % off.
        def vague_ceiling?
          (demand.cost.growth + demand.cost.marking).positive? && growth_of_ceiling > 2 * CEILING
        end

        # @return [Hash{Symbol => Float}] overload as a share of what was served; starved, resource_waits,
        #   handoff, bursts, pace and chance as shares of the response; busy of the time; swings as a ratio;
        #   waits_for_answers, unlike_threads and constant_load as shares of the units; growth, other_cpus and
        #   ceiling of the throughput; mix of the time with the GVL at the peak; machine_speed of the time of
        #   the same work
        def figures
          @figures ||= {starved: starved_ns / measured.response_ns,
                        resource_waits: @recording.resource_wait_ns / measured.response_ns.to_f,
                        **arrivals, chance:, unlike_threads:,
                        handoff: handoff_ns.fdiv(measured.response_ns), growth:,
                        **of_other_settings,
                        ceiling: @outcome.refuted ? 0.0 : @outcome.errors.fetch(:throughput, 0.0).abs,
                        machine_speed: (@recording.machine_speed.variation || 1.0) - 1}
        end

        private

        # Chance in the response if that missed, else in the mean that varies most.
        def chance
          @outcome.missed? ? @outcome.chance.fetch(:response, 0.0) : @outcome.most_chance
        end

        def measured = @recording.measured

        def demand = @recording.demand

        def unit_samples = @recording.unit_samples

        # Time without a CPU itself, and waiting for holders that had none, also in the queue for a thread.
        def starved_ns
          excess = [@recording.held_per_cpu - 1, 0.0].max
          waits_ns = measured.queued_ns.to_i + measured.stalled_ns
          demand.cpu_ns * excess + waits_ns * excess / (1 + excess)
        end

        # How units came. Replays in which each waits for an answer need no rate.
        def arrivals
          names = %i[overload busy swings bursts pace waits_for_answers]
          return names.to_h { |name| [name, 0.0] } if @outcome.closed
          busy = @traffic.peak_rate * demand.held_ns / NS / @current.processes
          {overload:, busy:, swings: @traffic.swings, bursts: [unreplayed, 0.0].max,
           pace: [-unreplayed, missing_waits].max, waits_for_answers:}
        end

        def overload
          @current.shared? ? 0.0 : QueueGrowth.new(unit_samples, threads: @current.own_threads).excess
        end

        # Where arrivals were counted, replays have their bursts and their pace.
        def unreplayed = @traffic.arrival_draws ? 0.0 : unevenness

        # Whether the arrivals themselves show it.
        def evenly? = -unreplayed > SHARE

        # Waits of the replay that were not measured, beyond chance. Where nothing else explains them, the
        # next requests wait for answers: users who pause in between can't make a long queue, however many
        # they are.
        def missing_waits
          return 0.0 if @recording.kind == :job
          error = @outcome.errors.fetch(:wait, 0.0)
          (error > [ALLOWED, @outcome.chance.fetch(:wait, 0.0)].max) ? error : 0.0
        end

        # Waits are proportional to the sum of both variations, by Kingman's formula: of the measured ones,
        # this is the part that independent arrivals would not have; negative: that they would have on top.
        def unevenness
          @unevenness ||= begin
            waits_ns = measured.queued_ns.to_i + measured.stalled_ns
            excess = ArrivalVariation.new(unit_samples).excess
            share = excess / [1 + excess + demand.cv2, Float::EPSILON].max
            [share, -1.0].max * waits_ns / measured.response_ns
          end
        end

        # A recording that is mostly open may have a load test in it.
        def waits_for_answers
          weight(closed_load.cells.flat_map(&:unit_samples)) / [weight(unit_samples), Float::MIN].max
        end

        # The load of the units, looked at again.
        def closed_load = @closed_load ||= ClosedLoad.new(unit_samples)

        # The share is known if each unit knows how many others its process had.
        def unlike_threads
          return 0.0 if @current.shared? || unit_samples.empty? || !unit_samples.all?(&:concurrency)
          weight(unit_samples.group_by(&:process).values.flat_map { |own|
            unlike(own)
          }) / weight(unit_samples)
        end

        # Units of a process that began while all threads of the setting had others; all units of a process
        # with fewer threads.
        def unlike(own)
          return own if fewer?(own)
          own.select { |unit| unit.concurrency >= @current.own_threads }
        end

        # Whether units waited for threads that, by the setting, were free.
        def fewer?(own)
          most = own.map(&:concurrency).max
          return false if most + 1 >= @current.own_threads
          waited_ns = own.select { |unit| unit.concurrency == most }.sum do |unit|
            [ClosedLoad.queued_ns(unit) - demand.between.before_ns, 0].max
          end
          waited_ns > SHARE * own.sum { |unit| ClosedLoad.queued_ns(unit) + unit.wall_ns }
        end

        # Stall while no thread held the GVL, as it was counted and as it was replayed.
        def handoff_ns
          replayed = @outcome.predicted&.handoff_ns
          counted = measured.handoff_ns
          (replayed && counted) ? (replayed - counted).abs : 0.0
        end

        # Explains an error of the throughput, and a grade that is lower without any. Waits don't depend on
        # it: as many units are in flight as when they were recorded.
        def growth
          saturated = @outcome.errors.key?(:throughput) && !@outcome.refuted
          explains = saturated || (vague_ceiling? && !@outcome.missed?)
          explains ? growth_of_ceiling : 0.0
        end

        # They explain no error, since the present setting is what was recorded.
        def of_other_settings
          figures = @outcome.to_h.slice(:other_cpus, :constant_load, :pauses)
          figures[:mix] = (@outcome.closed || peak_apart?) ? 0.0 : @traffic.mix_at_peak.abs
          @outcome.missed? ? figures.transform_values { 0.0 } : figures
        end

        # Whether the peak is replayed with its own mix.
        def peak_apart?
          @recording.kind == :request && @traffic.peak_minutes.any?
        end

        # The ceiling changes by so much between the growth that was replayed and the ends of its interval.
        def growth_of_ceiling
          return 0.0 unless @recording.growth_estimate
          in_flight = WeightedSample.mean(unit_samples.map { |unit| [unit.in_flight, unit.weight] })
          usual, full = [in_flight, @current.own_threads].map { |count| CoherencyCost.doublings(count) }
          replayed = (demand.cost.factor(in_flight:) - 1) / [usual, Float::EPSILON].max
          ends = [@recording.growth_estimate.low, @recording.growth_estimate.high]
          ends.map { |one| (one - replayed).abs }.max * (full - usual).abs
        end

        def weight(units) = units.sum(0.0, &:weight)

        # How many more units came than were served, while all threads had units: each then waits longer for a
        # thread than the ones before. Where the queue time q grows with the time t of starts, the units that
        # start within dt came within dt - dq.
        class QueueGrowth
          MINUTE_NS = 60 * NS
          # Number of successive minutes.
          FEWEST = 2

          # @param threads [Integer] of a process that take these units
          def initialize(unit_samples, threads:)
            @unit_samples = unit_samples
            @threads = threads
          end

          # @return [Float] share of the units that were served, beyond chance; of the longest time
          def excess
            units = spans.max_by(&:size)
            return 0.0 unless units
            slope = [slope(units), 0.0].max
            chance = ArrivalVariation::CERTAIN * Math.sqrt(2 / units.sum(&:weight))
            (slope < 1) ? [slope / (1 - slope) - chance, 0.0].max : 1.0
          end

          private

          # @return [Array<Array<UnitSample>>] units of a host's minutes in which all threads were busy
          def spans
            @unit_samples.group_by(&:host).values.flat_map do |own|
              minutes = own.group_by { |unit| unit.start_ns / MINUTE_NS }
              full = minutes.keys.select { |minute| full?(minutes.fetch(minute)) }.sort
              runs = full.slice_when { |one, other| other > one + 1 }.select { |run| run.size >= FEWEST }
              runs.map { |run| minutes.values_at(*run).flatten }
            end
          end

          def full?(units)
            busy = units.select { |unit| unit.concurrency.to_i >= @threads - 1 }
            busy.sum(&:weight) >= ClosedLoad::FULL * units.sum(&:weight)
          end

          # Slope of the queue time over the time of starts, by least squares.
          def slope(units)
            points = units.map { |unit| [unit.start_ns, ClosedLoad.queued_ns(unit), unit.weight] }
            start_ns, queued_ns = [0, 1].map do |at|
              WeightedSample.mean(points.map { |point| [point[at], point.last] })
            end
            squares = points.sum { |at, _, weight| weight * (at - start_ns)**2 }
            return 0.0 unless squares.positive?
            points.sum { |at, queued, weight| weight * (at - start_ns) * (queued - queued_ns) } / squares
          end
        end

        # How far arrivals within a minute are from independent ones: the variance of their number in a few
        # seconds against its mean, which is 1 for a Poisson process. More: in bursts; less: at a pace.
        class ArrivalVariation
          CELL_S = ClosedLoad::CELL_S
          CELLS = MINUTE_S / CELL_S
          # Standard deviations that chance exceeds in 1 % of cases. What remains is multiplied for a sample.
          CERTAIN = 2.576

          def initialize(unit_samples)
            @unit_samples = unit_samples
          end

          # @return [Float] by which it differs from 1 beyond chance, at least -1
          def excess
            return 0.0 if freedom.zero?
            sampled = @unit_samples.sum(&:weight) / @unit_samples.size
            chance = CERTAIN * Math.sqrt(2.0 / freedom)
            found = variances.sum / freedom - 1
            # Drawn units are more like independent ones than all are.
            beyond = sampled * [found.abs - chance, 0.0].max
            found.negative? ? -[beyond, 1.0].min : beyond
          end

          private

          # The cells of a minute have its mean.
          def freedom = (CELLS - 1) * minutes.size

          def variances
            minutes.map do |units|
              mean = units.size.fdiv(CELLS)
              counts = units.map { |unit| cell_of(unit) }.tally.values
              (counts.sum { |count| (count - mean)**2 } + (CELLS - counts.size) * mean**2) / mean
            end
          end

          # Whole ones: neither the first nor the last. With less than one in each cell, nearly all cells look
          # like chance.
          def minutes
            @minutes ||= @unit_samples.group_by(&:host).values.flat_map do |own|
              by_minute = own.group_by { |unit| cell_of(unit) / CELLS }
              edges = by_minute.keys.minmax
              by_minute.except(*edges).values.select { |units| units.size >= CELLS }
            end
          end

          def cell_of(unit)
            (unit.start_ns - ClosedLoad.queued_ns(unit)) / NS / CELL_S
          end
        end
      end
    end
  end
end
