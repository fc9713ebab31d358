# frozen_string_literal: true

require_relative "runtime/resources"

module Holdup
  # Follows the plans of the folder of segments in this process: gives the lever the value of the arm whose
  # turn it is, or what the autopilot keeps, and names the arm in the setting, so that windows of different
  # arms never mix. The time of a change belongs to no arm. When there is no plan, its time is over, its lease
  # is not renewed or it can't be read, the configured value returns.
  class LiveArm
    include Runtime::Resource

    # These are the names of ExperimentPlan::PlanFile, which is loaded with the first plan: few processes ever
    # get one.
    PLANS = %w[experiment.plan autopilot.kept].freeze
    # Leases that are remembered: of an experiment and of what is kept, each renewed.
    MOST_LEASES = 8

    # The step from one value of a lever to the next. `before`, `was`: plan and turn until now; `plan`,
    # `turn`: from now on, nil for none; `from`, `to`: values; `ending`: PlanEnding of `before`
    ValueStep = Data.define(:before, :was, :plan, :turn, :lever, :configured, :from, :to, :ending) do
      # The configured value, or what was kept before, returns.
      def ends? = !before.nil? && (plan.nil? || (!before.turns.nil? && before.id != plan.id))

      def begins? = !plan.nil? && (before&.id != plan.id || before.turns.nil? != plan.turns.nil?)
    end

    # Why a plan ends: `who` and `by` as in AuditEntry
    PlanEnding = Data.define(:who, :by, :why)

    # @param folder [#call] gives the folder of the segments
    # @param levers [#call] gives the live levers of this process, see Servers::Identity
    # @param limits [#call] gives the highest value by lever; an experiment never exceeds it
    # @param goal [#call] gives the AutopilotGoal, nil: no plan of the autopilot is followed
    # @param fixed [#call] gives the key of the reason for which this process has no live lever, see
    #   Servers::Identity
    # @param watch [#call, nil] gives a ResponseWatch of this process's requests
    # @param only [String, nil] name of the lever whose plans are looked at; nil: those of all
    # @param audit [#changed, #missed, #reached, nil] gets each change; nil: an AuditWriter
    def initialize(folder:, levers:, limits:, log:, clock:, goal: -> {}, fixed: -> {}, watch: nil,
      env: {}, only: nil, audit: nil)
      @folder = folder
      @levers = levers
      @limits = limits
      @log = log
      @clock = clock
      @goal = goal
      @fixed = fixed
      @new_watch = watch
      @env = env
      @only = only
      @given_audit = audit
      reset
    end

    def install
      reset unless @pid == Process.pid
      return unless @files || plans?
      plan, turn = wanted
      change(plan, turn) unless turn == @turn && plan&.id == @plan&.id
      @plan = plan if plan && plan.id == @plan&.id # with its latest lease
      settle if @lever
      watch if @watched
    end

    def facts = {"arm" => @arm}.compact

    # @return [Hash{String => Object}] of each live lever the highest value that an experiment may give it,
    #   and what is configured, or why there is none; what the autopilot is asked for, so that the collector
    #   knows
    def profile
      levers = @levers.call.flat_map do |lever|
        [["live.#{lever.name}", @limits.call.fetch(lever.name, 0)],
          ["live.#{lever.name}.configured", lever.configured]]
      end
      none = @fixed.call&.to_s if levers.empty?
      {**levers.to_h, "live.none" => none, "autopilot" => @goal.call&.to_s}.compact
    end

    private

    # A forked process begins with its own server's configured values.
    def reset
      @pid = Process.pid
      @turn = @plan = @ended = @lever = @arm = @steady_ns = nil
      @files = @places = @audit = @refused = @watched = @given_up = @damage = nil
      @leases = {}
    end

    # The check takes two system calls.
    def plans?
      @places ||= PLANS.map { |name| File.join(@folder.call, name) }
      @places.any? { |place| File.exist?(place) }
    end

    def files
      @files ||= begin
        require_relative "../model/autopilot_folder"
        require_relative "../model/audit_entry"
        require_relative "../model/change_reason"
        AutopilotFolder.new(@folder.call)
      end
    end

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
      @damage = error.message
      refuse("an experiment", error.message)
      nil
    end

    def possible?(plan, turn)
      return false if @only && plan.lever != @only
      return false if plan.autopilot? && ended?(plan)
      lever = lever(plan.lever)
      why = lever ? refusal(plan, turn, lever) : no_lever(plan)
      refuse("#{plan.autopilot? ? "autopilot" : "experiment"} #{plan.id}", why) if why
      why.nil?
    end

    # These reasons end a plan whatever it says itself.
    def ended?(plan)
      frozen? || expired?(plan) || plan.id == @given_up || files.taken_back.any? { |one| one.id == plan.id }
    end

    def frozen? = AutopilotFolder.frozen_by?(@env) || files.frozen_by_file?

    # The clock can't be set: a lease counts from when this process first saw it.
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
      goal = @goal.call
      allowed = goal&.range(plan.lever)
      if goal.nil?
        "config.autopilot is off in this process"
      elsif allowed.nil?
        "config.autopilot names no #{plan.lever}"
      elsif turn.value != lever.configured && !allowed.cover?(turn.value)
        "it sets #{turn.value} #{plan.lever}, and config.autopilot allows #{allowed}"
      elsif plan.turns.nil? && plan.values.first != lever.configured
        "it was found better than #{plan.values.first} #{plan.lever}, and #{lever.configured} are " \
          "configured now"
      end
    end

    # The log has each reason once.
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
      step = step_to(plan, turn)
      other = step.to != step.configured
      watch_from_now(plan, other)
      audit.missed(step) if @arm == ExperimentPlan::CHANGING
      @lever = lever(step.lever) || @lever
      @ended = @plan unless plan
      @plan = plan
      @turn = turn
      @steady_ns = nil
      @damage = nil
      @reached = false
      @changed_ns = @clock.monotonic_ns
      @arm = ExperimentPlan::CHANGING
      audit.changed(step) unless joins?(step)
      other ? @lever.set(step.to) : @lever.restore
    end

    # A process that the change itself has started has changed nothing.
    def joins?(step) = step.before.nil? && !!@lever&.joined?(step.to)

    def step_to(plan, turn)
      lever = lever((plan || @plan).lever) || @lever
      configured = lever.configured
      ending = ending(@plan) if @plan
      ValueStep.new(before: @plan, was: @turn, plan:, turn:, lever: lever.name, configured:,
        from: @turn ? @turn.value : configured, to: turn ? turn.value : configured, ending:)
    end

    # Why a plan ends now, if it does.
    # @return [PlanEnding]
    def ending(plan)
      return ending_of_user(plan) unless plan.autopilot?
      taken = files.taken_back.find { |one| one.id == plan.id }
      ended = files.ended(plan.id)
      if taken then PlanEnding.new(:autopilot, "worker #{taken.pid}", taken.why)
      elsif plan.id == @given_up then PlanEnding.new(:autopilot, "worker #{@pid}", @breach)
      elsif frozen? then PlanEnding.new(:operator, files.frozen_by(@env), why(:frozen))
      elsif lease_over?(plan) then PlanEnding.new(:lease, "", why(:lease, seconds: plan.lease.lease_s))
      elsif ended then PlanEnding.new(:autopilot, ended.by, ended.why)
      else
        PlanEnding.new(:autopilot, plan.by, why(:plan_over))
      end
    end

    def lease_over?(plan) = expired?(plan) || !plan.lease.holds?(@clock.realtime_s)

    def ending_of_user(plan)
      now_s = @clock.realtime_s
      return PlanEnding.new(:experiment, plan.by, why(:time_over)) if now_s >= plan.turns.ends_s
      return PlanEnding.new(:experiment, plan.by, why(:clock_back)) if now_s < plan.turns.from_s
      return PlanEnding.new(:experiment, plan.by, @damage) if @damage
      PlanEnding.new(:operator, "", why(:stopped))
    end

    # @return [String]
    def why(...) = ChangeReason.of(...).to_s

    def audit
      @audit ||= @given_audit ||
        AuditWriter.new(files: AuditEntry::AuditFiles.new(@folder.call), log: @log, clock: @clock)
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
      return @watch.start(@goal.call) if @lever.warming_up?
      why = @watch.call or return
      @given_up = @plan.id
      @breach = why
      said = ChangeReason.parse(why).english
      @log.warn("autopilot #{@plan.id}: #{said} in two windows of #{@goal.call.window} s with " \
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
      steady = @steady_ns && now_ns - @steady_ns >= @lever.steady_s * 1_000_000_000
      @arm = steady ? @turn&.arm : ExperimentPlan::CHANGING
      return unless steady
      reached(now_ns)
      @lever = nil if @turn.nil?
    end

    def reached(now_ns)
      return if @reached
      @reached = true
      audit.reached(@plan || @ended, @turn, lever: @lever, after_s: (now_ns - @changed_ns) / 1_000_000_000)
    end
  end

  # For a process that follows a plan together with others, which write the audit log.
  module LiveArm::NoAudit
    module_function

    def changed(_step) = nil

    def missed(_step) = nil

    def reached(_plan, _turn, **) = nil
  end

  # Says what this process does with a live setting: in a line of its log each, and what has happened to the
  # setting in the audit log.
  class LiveArm::AuditWriter
    # @param files [AuditEntry::AuditFiles]
    def initialize(files:, log:, clock:)
      @files = files
      @log = log
      @clock = clock
    end

    # @param step [ValueStep]
    def changed(step)
      ended(step) if step.ends?
      plan = step.plan or return
      step = step.with(from: step.to) if step.ends? # `ended` has written its change
      if step.begins?
        begun(step, plan)
      elsif step.from != step.to
        write(step, plan, :turn, why: turn_reason(plan, step.turn).to_s)
      end
      turn(step, plan) if plan.turns
    end

    # The next turn begins, and the pool has not come to the value of this one.
    def missed(step)
      plan = step.before
      return unless plan&.turns && step.turn && plan.id == step.plan.id
      @log.info("#{subject(plan)}, #{turn_name(plan, step.was)}: #{step.from} #{plan.lever} were not " \
        "reached; the turn counts for no arm")
    end

    # @param plan [ExperimentPlan] the one that ended, where `turn` is nil
    def reached(plan, turn, lever:, after_s:)
      value = turn ? turn.value : lever.configured
      what = turn ? subject(plan) : "#{subject(plan)} has ended"
      what += ", #{turn_name(plan, turn)}" if turn && plan.turns
      @log.info("#{what}: #{value} #{lever.name} reached after #{after_s} s")
    end

    private

    def subject(plan) = "#{actor(plan)} #{plan.id}"

    def actor(plan) = plan.autopilot? ? :autopilot : :experiment

    def ended(step)
      plan = step.before
      write(step, plan, :ends, who: step.ending.who, by: step.ending.by, why: step.ending.why)
      who = [("operator" if step.ending.who == :operator), step.ending.by].compact.reject(&:empty?)
      as = ", as configured" if step.to == step.configured
      @log.info("#{subject(plan)} ends: #{values(step)}#{as} (#{reason(who.join(" "), step.ending.why)})")
    end

    def begun(step, plan)
      write(step, plan, plan.turns ? :begins : :kept, why: plan.why, begins: plan.turns ? plan.to_text : "")
      reason = reason(plan.by, plan.why)
      by = " (#{reason})" unless reason.empty?
      return @log.info("#{subject(plan)}: #{values(step)}, kept#{by}") unless plan.turns
      @log.info("#{subject(plan)} begins: #{plan.lever} #{plan.values.join(" and ")} take turns every " \
        "#{plan.turns.turn_s} s until #{ends(plan)}#{by}")
    end

    def turn(step, plan)
      @log.info("#{subject(plan)}, #{turn_name(plan, step.turn)}: #{values(step)}")
    end

    def ends(plan) = Time.at(plan.turns.ends_s).utc.strftime("%H:%M:%S UTC")

    def reason(by, why) = [by, ChangeReason.parse(why).english].reject(&:empty?).join(": ")

    def values(step)
      return "#{step.lever} stay #{step.to}" if step.from == step.to
      "#{step.lever} #{step.from} -> #{step.to}"
    end

    # @return [String] "turn 3 of 52, candidate"
    def turn_name(plan, turn) = turn_reason(plan, turn).english

    def turn_reason(plan, turn)
      key = turn.arm.include?("equal-") ? :turn_of_equals : :turn
      ChangeReason.of(key, number: turn.index + 1, count: 2 * (plan.turns.equal_cycles + plan.turns.cycles),
        arm: turn.arm[/\w+\z/])
    end

    def write(step, plan, event, why:, who: actor(plan), by: plan.by, begins: "")
      change = AuditEntry.new(at_s: @clock.realtime_s, event:, plan_id: plan.id, lever: plan.lever,
        from: step.from, to: step.to, who:, by:, why:, begins:)
      @files.append(change)
    rescue SystemCallError => error
      @log.warn("#{subject(plan)}: the audit log can't be written (#{error.message})") unless @warned
      @warned = true
    end
  end
end
