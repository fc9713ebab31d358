# frozen_string_literal: true

module Holdup
  # The plan of an experiment whose arms take turns on the same processes. Workers of one cluster share
  # socket and CPUs, so that one arm changes the traffic of the other: arms side by side would not be
  # independent. A cycle has one turn of each arm and is one block of the comparison. Of two cycles, one
  # begins with each arm, in an order drawn from the seed: a load that rises does not favour an arm.
  #
  # The first cycles are an A/A phase: both arms have the setting of the control, so no difference may be
  # found.
  # Source: Bojinov, Simchi-Levi & Zhao, Design and analysis of switchback experiments (Management Science
  # 69, 2023): random order, and the time in which an earlier turn still has an effect left out.
  #
  # - `from_s`: a multiple of the cycle, seconds since 1970
  # - `turn_s`: seconds of a turn, a multiple of a minute (or less: then no window is of one arm, which only
  #   tests want); `settle_s`: its first seconds, in which the
  #   change takes effect: they belong to no arm
  # - `equal_cycles`: cycles of the A/A phase; `cycles`: those after it
  Switchback = Data.define(:from_s, :turn_s, :settle_s, :equal_cycles, :cycles, :seed) do
    # @param at_s [Integer] no cycle begins before it
    def self.after(at_s, turn_s:, **rest)
      cycle_s = 2 * turn_s
      new(from_s: at_s.ceildiv(cycle_s) * cycle_s, turn_s:, **rest)
    end

    def initialize(from_s:, turn_s:, cycles:, settle_s: 60, equal_cycles: 0, seed: 1)
      unless turn_s < 60 || (turn_s % 60).zero?
        raise ArgumentError, "a turn takes whole minutes, not #{turn_s} s"
      end
      raise ArgumentError, "a turn of #{turn_s} s has no time to settle" unless settle_s < turn_s
      raise ArgumentError, "a cycle begins at a multiple of itself" unless (from_s % (2 * turn_s)).zero?
      super
    end

    # Length of the comparison's blocks.
    def cycle_s = 2 * turn_s

    # First second of the phase in which the arms differ.
    def changes_s = from_s + equal_cycles * cycle_s

    # First second after it.
    def ends_s = changes_s + cycles * cycle_s

    # The same, without the cycles that are not over by then.
    # @return [Switchback, nil] nil if none is
    def ended(second)
      past = (second - from_s) / cycle_s
      return unless past.positive?
      with(equal_cycles: [equal_cycles, past].min, cycles: (past - equal_cycles).clamp(0, cycles))
    end

    # @return [Symbol, nil] :equal, :different; nil before and after the experiment
    def phase_at(second)
      return if second < from_s || second >= ends_s
      (second < changes_s) ? :equal : :different
    end

    # @return [Symbol, nil] :control, :candidate; nil while a change takes effect
    def arm_at(second)
      turn_at(second)&.arm unless (second - from_s) % turn_s < settle_s
    end

    # The arm whose setting is to be set at that time: in the A/A phase always the control's.
    # @return [Symbol, nil] nil before and after the experiment
    def setting_at(second)
      turn = turn_at(second)
      turn && ((turn.phase == :equal) ? :control : turn.arm)
    end

    # @return [Turn, nil] nil before and after the experiment
    def turn_at(second)
      phase = phase_at(second) or return
      cycle, within_s = (second - from_s).divmod(cycle_s)
      self.class::Turn.new(phase:, arm: order(cycle)[within_s / turn_s], index: (second - from_s) / turn_s)
    end

    # @param records [Array<#start_s, #end_s>] windows of any time
    # @return [Array<Array>] those wholly inside turns of control and candidate
    def split(records, phase: :different)
      inside = records.select { |record| phase_at(record.start_s) == phase }
      %i[control candidate].map { |arm| inside.select { |record| whole?(record, arm) } }
    end

    private

    def whole?(record, arm)
      last_s = record.end_s - 1
      [record.start_s, last_s].all? { |second| arm_at(second) == arm } &&
        record.start_s / turn_s == last_s / turn_s
    end

    def order(cycle)
      pair, second = cycle.divmod(2)
      first = Random.new(seed + pair * self.class::PAIRS).rand(2)
      arms = %i[control candidate]
      (first == second) ? arms : arms.reverse
    end
  end

  # - `phase`: :equal (A/A) or :different; `arm`: :control or :candidate; `index`: 0 for the first
  Switchback::Turn = Data.define(:phase, :arm, :index)

  # Keeps the draws of experiments with neighbouring seeds apart.
  Switchback::PAIRS = 1_000_003
end
