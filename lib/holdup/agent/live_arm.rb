# frozen_string_literal: true

require_relative "../model/autopilot_folder"
require_relative "../model/experiment_plan"

module Holdup
  # Follows the plans of the folder of segments in this process: gives the lever the value of the arm whose
  # turn it is, or what the autopilot keeps, and names the arm in the setting, so that windows of different
  # arms never mix. The time of a change belongs to no arm. When there is no plan, its time is over, its lease
  # is not renewed or it can't be read, the configured value returns. A resource of the runtime, so it is
  # called at each tick.
  class LiveArm
    # A collector's round counts what happened since the one before for the arm of now, so an arm begins when
    # a round (10 s) with its value has passed.
    STEADY_S = 15
    # That are remembered: of an experiment and of what is kept, each renewed.
    MOST_LEASES = 8

    # @param folder [#call] gives the folder of the segments
    # @param levers [#call] gives the live levers of this process, see Servers::Identity
    # @param limits [#call] gives the highest value by lever; an experiment never exceeds it
    # @param goal [#call] gives the AutopilotGoal, nil: no plan of the autopilot is followed
    # @param watch [#call, nil] gives a ResponseWatch of this process's requests
    def initialize(folder:, levers:, limits:, log:, clock:, goal: -> {}, watch: nil, env: {})
      @folder = folder
      @levers = levers
      @limits = limits
      @log = log
      @clock = clock
      @goal = goal
      @new_watch = watch
      @env = env
      reset
    end

    def install
      reset unless @pid == Process.pid
      plan, turn = wanted
      change(plan, turn) unless turn == @turn && plan&.id == @plan&.id
      settle if @lever
      watch if @watched
    end

    def facts = {"arm" => @arm}.compact

    def pools = []

    def gauges = {}

    # @return [Hash{String => Object}] of each live lever the highest value that an experiment may give it,
    #   and what is configured; what the autopilot is asked for, so that the collector knows
    def profile
      levers = @levers.call.flat_map do |lever|
        [["live.#{lever.name}", @limits.call.fetch(lever.name, 0)],
          ["live.#{lever.name}.configured", lever.configured]]
      end
      {**levers.to_h, "autopilot" => @goal.call&.to_s}.compact
    end

    private

    # A forked process begins with its own server's configured values.
    def reset
      @pid = Process.pid
      @turn = @plan = @lever = @arm = @steady_ns = @files = @refused = @watched = @given_up = nil
      @leases = {}
    end

    def files = @files ||= AutopilotFolder.new(@folder.call)

    # An experiment comes before what is kept.
    # @return [Array(ExperimentPlan, ExperimentTurn), nil]
    def wanted
      now_s = @clock.realtime_s
      [files.plan_file, files.kept_file].each do |file|
        plan = read(file)
        turn = plan&.turn(now_s)
        return [plan, turn] if turn && possible?(plan, turn)
      end
      nil
    end

    def read(file)
      file.read
    rescue DamagedData => error
      refuse("an experiment", error.message)
      nil
    end

    def possible?(plan, turn)
      return false if plan.autopilot? && ended?(plan)
      lever = lever(plan.lever)
      why = lever ? refusal(plan, turn, lever) : no_lever(plan)
      refuse("#{plan.autopilot? ? "autopilot" : "experiment"} #{plan.id}", why) if why
      why.nil?
    end

    # Whatever the plan says.
    def ended?(plan)
      frozen? || expired?(plan) || plan.id == @given_up || files.taken_back.any? { |one| one.id == plan.id }
    end

    def frozen? = AutopilotFolder.frozen_by?(@env) || files.frozen_by_file?

    # By a clock that nobody can set: a lease counts from when this process first saw it.
    def expired?(plan)
      lease = plan.lease
      @leases[lease] ||= @clock.monotonic_ns
      @leases.shift if @leases.size > MOST_LEASES
      @clock.monotonic_ns - @leases[lease] > lease.lease_s * 1_000_000_000
    end

    def no_lever(plan)
      "this server can't change its #{plan.lever} while it runs; give processes different values and " \
        "another HOLDUP_ARM each"
    end

    # @return [String, nil] why this process does not follow it
    def refusal(plan, turn, lever)
      return autopilot_refusal(plan, turn, lever) if plan.autopilot?
      limit = @limits.call.fetch(plan.lever, 0)
      return unless plan.values.max > limit
      "it needs #{plan.values.max} #{plan.lever}, and config.live_#{plan.lever} allows #{limit}"
    end

    def autopilot_refusal(plan, turn, lever)
      allowed = @goal.call&.threads
      if allowed.nil?
        "config.autopilot is off in this process"
      elsif turn.value != lever.configured && !allowed.cover?(turn.value)
        "it sets #{turn.value} #{plan.lever}, and config.autopilot allows #{allowed}"
      elsif plan.turns.nil? && plan.values.first != lever.configured
        "it was found better than #{plan.values.first} #{plan.lever}, and #{lever.configured} are " \
          "configured now"
      end
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
      before = @plan
      lever = lever((plan || before).lever) || @lever
      other = turn && turn.value != lever.configured
      watch_from_now(plan, other)
      @lever = lever
      @plan = plan
      @turn = turn
      @steady_ns = nil
      @arm = ExperimentPlan::CHANGING
      tell(before, plan) unless before&.id == plan&.id
      other ? lever.set(turn.value) : lever.restore
    end

    # Who, why, from, to: one line.
    def tell(before, plan)
      return @log.info(end_line(before)) unless plan
      return @log.info(autopilot_line(plan)) if plan.autopilot?
      @log.info("experiment #{plan.id} begins: #{plan.lever} #{plan.values.join(" and ")} take turns " \
        "every #{plan.turns.turn_s} s until #{ends(plan)}#{" (#{plan.by})" unless plan.by.empty?}")
    end

    def ends(plan) = Time.at(plan.turns.ends_s).utc.strftime("%H:%M:%S UTC")

    def autopilot_line(plan)
      turns = plan.turns && " in turns every #{plan.turns.turn_s} s until #{ends(plan)}"
      "autopilot #{plan.id}: #{plan.lever} #{plan.values.join(" -> ")}#{turns} (#{plan.by}: #{plan.why})"
    end

    def end_line(plan)
      return "the experiment ends: #{plan.lever} as configured" unless plan.autopilot?
      "autopilot #{plan.id} ends: #{plan.lever} -> #{lever(plan.lever)&.configured} as configured " \
        "(#{end_reason(plan)})"
    end

    def end_reason(plan)
      taken = files.taken_back.find { |one| one.id == plan.id }
      if taken then "worker #{taken.pid}: #{taken.why}"
      elsif frozen? then "frozen"
      elsif expired?(plan) || !plan.lease.holds?(@clock.realtime_s) then "its lease was not renewed"
      else "its plan is over"
      end
    end

    # Only a value that differs from the configured one can be taken back. Where nothing can be watched,
    # nothing is set.
    def watch_from_now(plan, other)
      goal = @goal.call if @new_watch && other && plan.autopilot?
      @watched = !goal.nil?
      return @watch&.stop unless goal
      @watch ||= @new_watch.call
      @watch.start(goal)
    end

    # Two windows that break the promise end the plan: here at once, in other workers with their next tick.
    def watch
      why = @watch.call or return
      @given_up = @plan.id
      @log.warn("autopilot #{@plan.id}: #{why} in two windows of #{@goal.call.window} s with " \
        "#{@turn.value} #{@plan.lever}")
      files.take_back(@plan, at_s: @clock.realtime_s, why:)
    rescue SystemCallError => error
      @log.warn("autopilot #{@plan.id}: other workers can't know (#{error.message})")
    ensure
      install if why
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
