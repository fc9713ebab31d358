# frozen_string_literal: true

require "holdup/loader"

module Bench
  # An experiment in turns on a machine that drifts: requests of one process that hold the GVL one after the
  # other, so that a slower machine means longer queues. The machine's speed differs from turn to turn by up
  # to 50 %, half of it as in the turn before; so does the load, by less. Everything about it is known.
  class SimulatedTurns
    START_S = 20_000 * 86_400
    TURN_S = 60
    NS = 1_000_000_000
    # Requests per second, and ns with the GVL of each endpoint with its share.
    RATE = 3.6
    ENDPOINTS = {"A#fast" => [0.7, 70_000_000], "B#slow" => [0.3, 260_000_000]}.freeze
    # The machine takes up to so much longer for the same work.
    DRIFT = 1.5
    # Deviation of the fixed work's mean within a turn, of the load and of the work, from turn to turn.
    NOISE = {work: 0.02, load: 0.1}.freeze
    # Cycles of equals before the experiment.
    EQUAL = 6
    NOTHING = {stalled_ns: 0, idle_ns: 0, acquisitions: 1, gc_ns: 0, in_flight_milli: 1000,
               weight: 1.0}.freeze
    PROCESS = Holdup::UnitSample::SampledProcess.new(pid: 7, since_ns: (START_S - 3600) * NS)

    # @param blocks [Integer] with a turn of both arms
    # @param effect [Float] by how much less time requests of the candidate wait and take
    # @param drift [Float] 1.5: the machine is up to 1.5 times slower
    def initialize(blocks:, effect:, seed:, drift: DRIFT)
      @blocks = blocks
      @effect = effect
      @drift = drift
      @random = Random.new(seed)
      @turns = Holdup::Switchback.new(from_s: START_S, turn_s: TURN_S, settle_s: 0, equal_cycles: EQUAL,
        cycles: blocks, seed:)
      @units = []
      @samples = []
      play
    end

    # @param pairs [Boolean] whether neighbouring turns are compared in pairs
    # @return [Holdup::Experiment::Result]
    def result(pairs: true)
      schedule = Holdup::Experiment::LookSchedule.of_blocks(@blocks, block_s: @turns.cycle_s)
      equals = Holdup::Experiment::Result::EqualArms.new(label: "A/A", sides: sides(:equal))
      Holdup::Experiment::Result.new(*sides(:different), schedule:, to_s: @turns.ends_s, over: true,
        planned_equality: true, equals: [equals], turns: pairs)
    end

    # @return [Holdup::Compare::Comparison] of all blocks
    def comparison(pairs: true)
      arms = sides(:different)
      blocks = Holdup::Experiment::Result::ArmBlocks.new(arms, length_s: @turns.cycle_s)
      Holdup::Compare::Comparison.new(*arms, percentiles: %i[response], blocks:, turns: pairs)
    end

    private

    # @return [Array<Holdup::Compare::Side>]
    def sides(phase)
      @sides ||= {}
      @sides[phase] ||= %i[control candidate].map do |arm|
        units = @units.select { |unit| unit.setting == setting(phase, arm) }
        Holdup::Compare::Side.new(label: arm.to_s, windows: windows(units), unit_samples: units,
          samples: @samples, from_s: START_S, to_s: @turns.ends_s)
      end
    end

    def setting(phase, arm)
      @settings ||= {}
      threads = (phase == :equal || arm == :control) ? 16 : 3
      @settings[[phase, arm]] ||= Holdup::Setting.new(
        attributes: {"server" => "puma", "threads" => threads, "arm" => "#{phase}-#{arm}"}
      )
    end

    # One turn after the other; the queue goes on from one to the next.
    def play
      free_s = START_S
      slow = load = 0.0
      (2 * (EQUAL + @blocks)).times do |index|
        slow = 0.5 * slow + @random.rand
        load = 0.5 * load + NOISE[:load] * normal
        begins_s = START_S + index * TURN_S
        slowness = @drift**(slow / 2)
        note(begins_s, slowness)
        free_s = turn(begins_s, slowness, RATE * Math.exp(load), free_s)
      end
    end

    def turn(begins_s, slowness, rate, free_s)
      turn = @turns.turn_at(begins_s)
      setting = setting(turn.phase, turn.arm)
      faster = (turn.phase == :different && turn.arm == :candidate) ? 1 - @effect : 1.0
      at_s = begins_s
      while (at_s += -Math.log(1 - @random.rand) / rate) < begins_s + TURN_S
        name, held_ns = draw(slowness)
        started_s = [at_s, free_s].max
        free_s = started_s + held_ns.fdiv(NS)
        keep(name, setting, at_s, (started_s - at_s) * faster, held_ns, faster)
      end
      free_s
    end

    def draw(slowness)
      name = (@random.rand < ENDPOINTS["A#fast"].first) ? "A#fast" : "B#slow"
      [name, ENDPOINTS[name].last * slowness * Math.exp(0.5 * normal - 0.125)]
    end

    # What the candidate is better in is waiting: the CPU time is that of the control.
    def keep(name, setting, at_s, queued_s, cpu_ns, faster)
      held_ns = (cpu_ns * faster).round
      queued_ns = (queued_s * NS).round
      @units << Holdup::UnitSample.new(**NOTHING, series: series(name), setting:, host: "web-1",
        process: PROCESS, start_ns: (at_s * NS).round + queued_ns, queued_ns:, running_ns: held_ns,
        cpu_ns: cpu_ns.round, longest_hold_ns: held_ns)
    end

    def series(name)
      @series ||= {}
      @series[name] ||= Holdup::Series.new(kind: :request, name:)
    end

    # What the collector's rounds time in a turn.
    def note(begins_s, slowness)
      turn = @turns.turn_at(begins_s)
      ns = (900_000 * slowness * Math.exp(NOISE[:work] * normal)).round
      keys = Holdup::Analysis::Machine::ArmWork.keys(setting(turn.phase, turn.arm).fingerprint)
      @samples << {at_s: begins_s + TURN_S, host: "web-1", pid: 0, name: "container", fixed_work_ns: ns,
                   **keys.zip([ns, begins_s + TURN_S / 2]).to_h}
    end

    def windows(units)
      units.group_by { |unit| [unit.series, unit.start_ns / NS / 60 * 60] }.map do |(series, start_s), own|
        setting = own.first.setting
        empty = Holdup::Window.empty(series:, setting:, host: "web-1", start_s:, seconds: 60)
        histograms = {wall: :wall_ns, queued: :queued_ns, running: :running_ns, stalled: :stalled_ns}
          .transform_values { |field| Holdup::Histogram.of(own.map(&field)) }
        empty.with(count: own.size, histograms: empty.histograms.merge(histograms),
          sums: empty.sums.merge(cpu_ns: own.sum(&:cpu_ns)))
      end
    end

    def normal
      Math.sqrt(-2 * Math.log(1 - @random.rand)) * Math.cos(2 * Math::PI * @random.rand)
    end
  end
end
