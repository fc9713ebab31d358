# frozen_string_literal: true

require_relative "../model/experiment_plan"

module Holdup
  # Follows the experiment of the folder of segments in this process: gives the lever the value of the arm
  # whose turn it is, and names the arm in the setting, so that windows of different arms never mix. The time
  # of a change belongs to no arm. When there is no plan, its time is over or it can't be read, the configured
  # value returns. A resource of the runtime, so it is called at each tick.
  class LiveArm
    # A collector's round counts what happened since the one before for the arm of now, so an arm begins when
    # a round (10 s) with its value has passed.
    STEADY_S = 15

    # @param folder [#call] gives the folder of the segments
    # @param levers [#call] gives the live levers of this process, see Servers::Identity
    # @param limits [#call] gives the highest value by lever; an experiment never exceeds it
    def initialize(folder:, levers:, limits:, log:, clock:)
      @folder = folder
      @levers = levers
      @limits = limits
      @log = log
      @clock = clock
      reset
    end

    def install
      reset unless @pid == Process.pid
      plan = read_plan
      turn = plan&.turn(@clock.realtime_s)
      turn = nil unless turn && possible?(plan)
      change(plan, turn) unless turn == @turn
      settle if @lever
    end

    def facts = {"arm" => @arm}.compact

    def pools = []

    def gauges = {}

    # @return [Hash{String => Integer}] the highest value that an experiment may give each live lever
    def profile
      @levers.call.to_h { |lever| ["live.#{lever.name}", @limits.call.fetch(lever.name, 0)] }
    end

    private

    # A forked process begins with its own server's configured values.
    def reset
      @pid = Process.pid
      @turn = @lever = @arm = @steady_ns = @file = @refused = nil
    end

    def read_plan
      @file ||= ExperimentPlan::PlanFile.new(@folder.call)
      @file.read
    rescue DamagedData => error
      refuse("an experiment", error.message)
      nil
    end

    def possible?(plan)
      lever = lever(plan.lever)
      limit = @limits.call.fetch(plan.lever, 0)
      why = if lever.nil?
        "this server can't change its #{plan.lever} while it runs; give processes different values and " \
          "another HOLDUP_ARM each"
      elsif plan.values.max > limit
        "it needs #{plan.values.max} #{plan.lever}, and config.live_#{plan.lever} allows #{limit}"
      end
      refuse("experiment #{plan.id}", why) if why
      why.nil?
    end

    # Once for each reason.
    def refuse(what, why)
      return if @refused == why
      @refused = why
      @log.warn("#{what} is not followed: #{why}")
    end

    def lever(name)
      @levers.call.find { |lever| lever.name == name }
    end

    # The server reports its new value at once, and so calls `install` again.
    def change(plan, turn)
      tell(plan, turn) if @turn.nil? || turn.nil?
      @turn = turn
      @steady_ns = nil
      @arm = ExperimentPlan::CHANGING
      @lever = lever(plan.lever) if turn
      turn ? @lever.set(turn.value) : @lever.restore
    end

    def tell(plan, turn)
      return @log.info("the experiment ends: #{@lever.name} as configured") unless turn
      @log.info("experiment #{plan.id} begins: #{plan.lever} #{plan.values.join(" and ")} take turns " \
        "every #{plan.turns.turn_s} s until #{Time.at(plan.turns.ends_s).utc.strftime("%H:%M:%S UTC")}" \
        "#{" (#{plan.by})" unless plan.by.empty?}")
    end

    # A pool may leave its target again, when its server was started anew.
    def settle
      now_ns = @clock.monotonic_ns
      @steady_ns = nil unless @lever.settled?
      @steady_ns ||= now_ns if @lever.settled?
      steady = @steady_ns && now_ns - @steady_ns >= STEADY_S * 1_000_000_000
      @arm = steady ? @turn&.arm : ExperimentPlan::CHANGING
      @lever = nil if steady && @turn.nil?
    end
  end
end
