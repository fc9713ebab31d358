# frozen_string_literal: true

require_relative "errors"

module Holdup
  # An experiment that runs: two values of one lever take turns in every process of a folder of segments.
  # Each process reads the plan from the folder and follows the clock. So nothing has to reach a process in
  # time, and the experiment ends even if nobody is left to end it.
  #
  # - `id`: short and unique; `lever`: "threads"
  # - `values`: of the arms a (what is set now) and b
  # - `starts_s`, `ends_s`: seconds since 1970
  # - `same_s`: how long at first both arms have the value of a, which must show no difference (A/A)
  # - `swap_s`: length of a block. Two blocks are a pair, one of each arm, whose order is drawn, so that what
  #   grows or shrinks meanwhile falls on both arms alike
  # - `by`: who started it; `why`: what for, in one line
  ExperimentPlan = Data.define(:id, :lever, :values, :starts_s, :ends_s, :same_s, :swap_s, :by, :why) do
    # @param text [String] of `to_s`
    # @raise [DamagedData] for any other text
    def self.parse(text)
      read = text.each_line(chomp: true).to_h { |line| line.split(" ", 2) }
      numbers = self::NUMBERS.to_h { |name| [name, Integer(read.fetch(name.to_s), 10)] }
      values = read.fetch("values").split.map { |value| Integer(value, 10) }
      texts = self::TEXTS.to_h { |name| [name, read[name.to_s].to_s] }
      new(values:, **numbers, **texts)
    rescue KeyError, ArgumentError, TypeError
      raise DamagedData.new("the plan of an experiment is damaged", "it starts with #{text[0, 40].inspect}")
    end

    # @raise [ArgumentError] when it can't be followed
    def initialize(values:, starts_s:, ends_s:, same_s:, swap_s:, **rest)
      valid = values.size == 2 && values.all?(&:positive?) && swap_s.positive? && same_s >= 0 &&
        starts_s < ends_s && ends_s - starts_s <= self.class::LONGEST_S
      raise ArgumentError, "an experiment has two values, blocks, and at most a day" unless valid
      super
    end

    # One "name value" on each line: the application's process reads it without any library.
    def to_s
      texts = self.class::TEXTS.map { |name| [name, public_send(name).to_s.tr("\n", " ")] }
      numbers = self.class::NUMBERS.map { |name| [name, public_send(name)] }
      [*texts, ["values", values.join(" ")], *numbers].map { |name, value| "#{name} #{value}\n" }.join
    end

    # @param now_s [Integer] seconds since 1970
    # @return [ExperimentBlock, nil] nil before and after the experiment
    def block(now_s)
      return unless now_s >= starts_s && now_s < ends_s
      passed = now_s - starts_s
      same = passed < same_s
      index = (same ? passed : passed - same_s) / swap_s
      second = index.odd? ^ first_is_b?(same, index / 2)
      ExperimentBlock.new(arm: name(same, second), value: values[(second && !same) ? 1 : 0], index:, same:)
    end

    # @return [Array<String>] names of the arms a and b, in settings
    def arms = [name(false, false), name(false, true)]

    # @return [Array<String>] of both arms while they are the same
    def same_arms = [name(true, false), name(true, true)]

    private

    def name(same, second)
      "#{id}:#{"same-" if same}#{second ? "b" : "a"}"
    end

    # The same in all processes.
    def first_is_b?(same, pair)
      Random.new("#{id} #{same} #{pair}".unpack1("H*").to_i(16)).rand(2) == 1
    end
  end

  ExperimentPlan::TEXTS = %i[id lever by why].freeze
  ExperimentPlan::NUMBERS = %i[starts_s ends_s same_s swap_s].freeze
  ExperimentPlan::LONGEST_S = 86_400

  # The time in which one arm has its turn.
  #
  # - `arm`: its name in the setting; `value`: of the lever
  # - `same`: whether both arms have the same value still; `index`: 0 for the first block
  ExperimentBlock = Data.define(:arm, :value, :index, :same)

  class ExperimentPlan
    # The file in a folder of segments that has the plan, while there is one.
    class PlanFile
      NAME = "experiment.plan"
      LONGEST = 2000

      # @param folder [String]
      def initialize(folder)
        @path = File.join(folder, NAME)
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
        File.write(whole, plan.to_s, perm: 0o600)
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
