# frozen_string_literal: true

require_relative "errors"

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
      @firsts = {} # by pair of cycles: a generator of random numbers for each window takes a while
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
      first = @firsts[pair] ||= Random.new(seed + pair * self.class::PAIRS).rand(2)
      arms = %i[control candidate]
      (first == second) ? arms : arms.reverse
    end
  end

  # - `phase`: :equal (A/A) or :different; `arm`: :control or :candidate; `index`: 0 for the first
  Switchback::Turn = Data.define(:phase, :arm, :index)

  # Keeps the draws of experiments with neighbouring seeds apart.
  Switchback::PAIRS = 1_000_003

  # An experiment that runs: two values of one lever take turns in every process of a folder of segments.
  # Each process reads the plan from the folder and follows the clock. So nothing has to reach a process in
  # time, and the experiment ends even if nobody is left to end it.
  #
  # - `id`: short and unique; `lever`: "threads"
  # - `values`: of the control (what is set now) and the candidate
  # - `turns`: Switchback; nil: the candidate's value for all the time, as long as the lease holds
  # - `lease`: PlanLease of the autopilot; nil: a user's experiment, which runs without a collector
  # - `by`: who started it; `why`: what for, in one line
  ExperimentPlan = Data.define(:id, :lever, :values, :turns, :lease, :by, :why) do
    # @param text [String] of `to_text`
    # @raise [DamagedData] for any other text
    def self.parse(text)
      read = text.each_line(chomp: true).to_h { |line| line.split(" ", 2) }
      turns = numbers(read, Switchback) if read.key?("turn_s")
      lease = numbers(read, PlanLease) if read.key?("lease_s")
      values = read.fetch("values").split.map { |value| Integer(value, 10) }
      texts = self::TEXTS.to_h { |name| [name, read[name.to_s].to_s] }
      new(values:, turns:, lease:, **texts)
    rescue KeyError, ArgumentError, TypeError
      raise DamagedData.new("the plan of an experiment is damaged", "it starts with #{text[0, 40].inspect}")
    end

    def self.numbers(read, kind)
      kind.new(**kind.members.to_h { |name| [name, Integer(read.fetch(name.to_s), 10)] })
    end
    private_class_method :numbers

    # @raise [ArgumentError] when it can't be followed
    def initialize(values:, turns:, lease: nil, **rest)
      unless values.size == 2 && values.all?(&:positive?)
        raise ArgumentError, "an experiment has two values, not #{values.inspect}"
      end
      raise ArgumentError, "without turns it needs a lease" unless turns || lease
      unless turns.nil? || (turns.ends_s - turns.from_s).between?(1, self.class::LONGEST_S)
        raise ArgumentError, "an experiment takes at most a day"
      end
      super
    end

    # Whether the autopilot wrote it, so that its limits count.
    def autopilot? = !lease.nil?

    # One "name value" on each line: the application's process reads it without any library.
    # @return [String]
    def to_text
      texts = self.class::TEXTS.map { |name| [name, public_send(name).to_s.tr("\n", " ")] }
      pairs = [*texts, ["values", values.join(" ")], *turns.to_h, *lease.to_h]
      pairs.map { |name, value| "#{name} #{value}\n" }.join
    end

    # @param now_s [Integer] seconds since 1970
    # @return [ExperimentTurn, nil] nil before and after the experiment, and without its lease
    def turn(now_s)
      return unless lease.nil? || lease.holds?(now_s)
      return ExperimentTurn.new(arm: nil, value: values.last, index: 0) unless turns
      turn = turns.turn_at(now_s) or return
      value = values[(turns.setting_at(now_s) == :control) ? 0 : 1]
      ExperimentTurn.new(arm: name(turn.phase, turn.arm), value:, index: turn.index)
    end

    # @param phase [Symbol] :different, or :equal for the A/A phase
    # @return [Array<String>] names of control and candidate in settings
    def arms(phase = :different)
      %i[control candidate].map { |arm| name(phase, arm) }
    end

    private

    def name(phase, arm)
      "#{id}:#{"equal-" if phase == :equal}#{arm}"
    end
  end

  ExperimentPlan::TEXTS = %i[id lever by why].freeze
  ExperimentPlan::LONGEST_S = 86_400
  # The arm while the value is not yet where it should be: that time belongs to no arm.
  ExperimentPlan::CHANGING = "changing"

  # How long a plan of the autopilot holds unless it is renewed.
  #
  # - `leased_s`: when, seconds since 1970; `lease_s`: for how many seconds
  PlanLease = Data.define(:leased_s, :lease_s) do
    def initialize(leased_s:, lease_s:)
      unless lease_s.between?(1, self.class::LONGEST_S)
        raise ArgumentError, "a lease is for 1 to #{self.class::LONGEST_S} s"
      end
      super
    end

    # A lease does not hold before it began either: the clock was set back then.
    def holds?(now_s) = (leased_s - self.class::SLACK_S...leased_s + lease_s).cover?(now_s)
  end
  PlanLease::LONGEST_S = 3 * 3600
  # The clock may be corrected by so much.
  PlanLease::SLACK_S = 5

  # The turn of an arm. `arm`: its name in the setting, nil outside of experiments; `value`: of the
  # lever; `index`: 0 for the first turn
  ExperimentTurn = Data.define(:arm, :value, :index)

  class ExperimentPlan
    # The file in a folder of segments that has the plan, while there is one.
    class PlanFile
      NAME = "experiment.plan"
      # What the autopilot has found better, for all the time.
      KEPT = "autopilot.kept"
      LONGEST = 2000

      # @param folder [String]
      def initialize(folder, name = NAME)
        @path = File.join(folder, name)
        @seen = nil
        @plan = nil
      end

      # Costs one system call unless the file has changed.
      # @return [ExperimentPlan, nil]
      # @raise [DamagedData]
      def read
        stat = File.stat(@path)
        seen = [stat.ino, stat.mtime.to_r]
        return @plan if seen == @seen
        @seen = seen
        @plan = nil
        @plan = ExperimentPlan.parse(File.read(@path, LONGEST).to_s)
      rescue SystemCallError
        @seen = @plan = nil
      end

      # No process ever sees a part of it.
      # @raise [SystemCallError]
      def write(plan)
        whole = "#{@path}.#{Process.pid}"
        File.write(whole, plan.to_text, perm: 0o600)
        File.rename(whole, @path)
      end

      # @return [Boolean] whether there was one
      # @raise [SystemCallError]
      def remove
        File.unlink(@path)
        true
      rescue Errno::ENOENT
        false
      end
    end
  end
end
