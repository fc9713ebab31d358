# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/live_arm"
require "holdup/agent/servers/live_lever"
require "holdup/model/autopilot_folder"
require "holdup/model/audit_entry"

class Holdup::LiveArmTest < Minitest::Test
  include TemporaryFolder

  Plan = Holdup::ExperimentPlan
  START_S = 1_790_000_040 # a multiple of the cycles

  # What a server offers; it takes `slow` looks until a value is true.
  class Threads
    include Holdup::Servers::LiveLever

    attr_reader :value, :all

    def initialize(slow: 0)
      @slow = slow
      @all = []
      restore
    end

    def name = "threads"

    def configured = 5

    def set(value)
      @value = value
      @all << value
      @looks = 0
    end

    def restore = set(configured)

    def settled? = (@looks += 1) > @slow
  end

  def setup
    super
    @clock = HandClock.new(realtime_ns: START_S * 1_000_000_000)
    @log = CollectedLog.new
    @threads = Threads.new
    @limit = 8
  end

  def arm
    @arm ||= Holdup::LiveArm.new(folder: -> { folder }, levers: -> { [@threads].compact },
      limits: -> { {"threads" => @limit} }, log: @log, clock: @clock)
  end

  def file = @file ||= Plan::PlanFile.new(folder)

  def plan(**facts)
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5)
    Plan.new(id: "x", lever: "threads", values: [5, 3], turns:, by: "deploy", why: "", **facts)
  end

  def test_looks_for_the_files_that_plans_are_in
    assert_equal [Plan::PlanFile::NAME, Plan::PlanFile::KEPT], Holdup::LiveArm::PLANS
  end

  # @return [Array<(String, Integer)>] arm and threads, once a second
  def pass(seconds)
    Array.new(seconds) do
      arm.install
      move(1)
      [arm.facts["arm"], @threads.value]
    end
  end

  def move(seconds)
    @clock.realtime_ns += seconds * 1_000_000_000
    @clock.monotonic_ns += seconds * 1_000_000_000
  end

  def arm_for(lever)
    Holdup::LiveArm.new(folder: -> { folder }, levers: -> { [@threads] }, limits: -> { {"threads" => 8} },
      log: @log, clock: @clock, only: lever, audit: Holdup::LiveArm::NoAudit)
  end

  # A process for one lever follows its plans alone, and leaves the audit log to others.
  def test_the_plans_of_one_lever_alone
    @arm = arm_for("processes")
    file.write(plan)
    pass(60)
    assert_equal [5], @threads.all
    @arm = arm_for("threads")
    pass(300)
    assert_includes @threads.all, 3
    assert_empty @log.lines
    assert_empty Dir.children(folder).grep(/audit/)
  end

  def test_a_lever_that_takes_longer_until_its_value_serves
    def @threads.steady_s = 40
    file.write(plan)
    turns = pass(120).map(&:first).slice_when { |before, after| before != after }.to_a
    assert_equal [40, 20, 40, 20], turns.map(&:size)
  end

  def test_a_process_that_the_change_has_started_writes_no_change
    def @threads.joined?(_value) = true
    file.write(plan)
    pass(1)
    assert_empty @log.infos
    pass(120)
    refute_empty @log.infos
  end

  def test_without_a_plan_nothing_changes
    assert_equal [[nil, 5]], pass(60).uniq
    assert_equal [5], @threads.all
    assert_empty @log.infos
  end

  def test_an_arm_is_named_only_while_the_lever_has_had_its_value_for_a_while
    file.write(plan)
    turns = pass(120).slice_when { |before, after| before != after }.to_a
    assert_equal [15, 45, 15, 45], turns.map(&:size)
    turns.each_slice(2) do |changing, steady|
      assert_equal "changing", changing.first.first
      name, value = steady.first
      assert_equal({"x:control" => 5, "x:candidate" => 3}.fetch(name), value)
      assert_equal value, changing.first.last
    end
  end

  def test_a_pool_that_never_comes_to_its_target_belongs_to_no_arm
    @threads = Threads.new(slow: 1000)
    file.write(plan)
    assert_equal ["changing"], pass(300).map(&:first).uniq
  end

  def test_the_configured_value_returns_at_the_end
    file.write(plan)
    pass(600)
    assert_equal [["changing", 5]], pass(15).uniq
    assert_equal [[nil, 5]], pass(60).uniq
    assert_match(/\Aexperiment x begins: threads 5 and 3 take turns every 60 s until \S+ UTC \(deploy\)\z/,
      @log.infos.first)
    ends = "experiment x ends: threads 3 -> 5, as configured (deploy: its time is over)"
    assert_equal [ends, "experiment x has ended: 5 threads reached after 15 s"], @log.infos.last(2)
  end

  # Who opens the log at night reads each without the others.
  def test_each_turn_and_each_arm_that_is_reached_is_one_line_of_the_log
    file.write(plan)
    pass(125)
    order = [1, 2, 3].map { |turn| arm_of(turn) }
    changes = order.each_cons(2).map { |before, after| values(before, after) }
    first = (order.first == "control") ? "threads stay 5" : "threads 5 -> 3"
    assert_equal [
      "experiment x, turn 1 of 10, #{order[0]}: #{first}",
      "experiment x, turn 1 of 10, #{order[0]}: #{VALUES.fetch(order[0])} threads reached after 15 s",
      "experiment x, turn 2 of 10, #{order[1]}: #{changes[0]}",
      "experiment x, turn 2 of 10, #{order[1]}: #{VALUES.fetch(order[1])} threads reached after 15 s",
      "experiment x, turn 3 of 10, #{order[2]}: #{changes[1]}"
    ], @log.infos.drop(1)
  end

  VALUES = {"control" => 5, "candidate" => 3}.freeze

  def arm_of(turn) = plan.turns.turn_at(START_S + 60 * (turn - 1)).arm.to_s

  def values(before, after)
    from, to = VALUES.values_at(before, after)
    (from == to) ? "threads stay #{to}" : "threads #{from} -> #{to}"
  end

  def test_a_turn_of_the_a_a_phase_says_so
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5, equal_cycles: 1)
    file.write(plan(turns:))
    pass(10)
    assert_match(/\Aexperiment x, turn 1 of 12, (control|candidate) of the A\/A phase: threads stay 5\z/,
      @log.infos.last)
  end

  def test_a_turn_whose_value_was_not_reached_says_that_it_does_not_count
    @threads = Threads.new(slow: 1000)
    file.write(plan)
    pass(65)
    reason = /\Aexperiment x, turn 1 of 10, \w+: \d threads were not reached; the turn counts for no arm\z/
    assert_match(reason, @log.infos[-2])
  end

  # @return [Array<Array>] event, values, who and why of each entry
  def audit
    lines = Holdup::AuditEntry::AuditFiles.new(folder).paths.flat_map { |path| File.readlines(path) }
    entries = lines.map { |line| Holdup::AuditEntry.parse(line, source: "s", host: "h") }
    entries.map { |one| [one.event, one.from, one.to, one.who, one.by, one.why] }
  end

  def test_each_change_of_the_value_is_in_the_audit_log
    file.write(plan(why: "less stall?"))
    pass(615)
    assert_equal [:begins, 5, :experiment, "deploy", "less stall?"], audit.first.values_at(0, 1, 3, 4, 5)
    assert_equal [:ends, 3, 5, :experiment, "deploy", "@time_over"], audit.last
    assert_equal @threads.all.drop(1).chunk_while { |before, after| before == after }.map(&:first),
      audit.map { |one| one[2] }.chunk_while { |before, after| before == after }.map(&:first)
    assert_equal [:turn], audit[1..-2].map(&:first).uniq
    assert_empty audit[1..-2].select { |one| one[1] == one[2] }
  end

  def test_the_audit_log_has_the_plan_with_which_an_experiment_begins
    file.write(plan)
    pass(5)
    line = File.read(Holdup::AuditEntry::AuditFiles.new(folder).paths.first)
    assert_equal plan, Plan.parse(Holdup::AuditEntry.parse(line, source: "s", host: "h").begins)
  end

  def test_an_audit_log_that_can_not_be_written_stops_no_change
    Dir.mkdir(File.join(folder, "audit-#{Time.at(START_S).utc.strftime("%Y%m%d")}.log"))
    file.write(plan(values: [3, 3]))
    pass(100)
    assert_equal 3, @threads.value
    assert_equal 1, @log.lines.grep(/the audit log can't be written/).size
  end

  # Stopped, damaged, or the clock was set: whatever comes, nothing stays.
  def test_the_configured_value_returns_whatever_happens_to_the_plan
    {
      stopped: -> { file.remove },
      damaged: -> { File.write(File.join(folder, Plan::PlanFile::NAME), "nonsense") },
      later: -> { move(86_400) },
      earlier: -> { @clock.realtime_ns -= 86_400 * 1_000_000_000 }
    }.each do |name, event|
      @arm = nil
      @clock = HandClock.new(realtime_ns: START_S * 1_000_000_000)
      file.write(plan(values: [3, 3]))
      pass(30)
      assert_equal 3, @threads.value, name
      event.call
      pass(20)
      assert_equal [nil, 5], [arm.facts["arm"], @threads.value], name
      assert_match ENDINGS.fetch(name), @log.infos[-2], name
    end
  end

  ENDINGS = {
    stopped: /\Aexperiment x ends: threads 3 -> 5, as configured \(operator: stopped before its end\)\z/,
    damaged: /ends: threads 3 -> 5, as configured \(deploy: the plan of an experiment is damaged/,
    later: /ends: threads 3 -> 5, as configured \(deploy: its time is over\)/,
    earlier: /ends: threads 3 -> 5, as configured \(deploy: the clock was set back\)/
  }.freeze

  def test_never_more_than_allowed
    @limit = 4
    file.write(plan)
    assert_equal [[nil, 5]], pass(100).uniq
    assert_equal ["experiment x is not followed: it needs 5 threads, and config.live_threads allows 4"],
      @log.lines
  end

  def test_a_server_that_can_not_change_says_what_else_can_be_done
    @threads = nil
    file.write(plan)
    60.times { arm.install }
    assert_equal 1, @log.lines.size
    assert_match(/can't change its threads while it runs; give processes different values and another/,
      @log.lines.first)
    assert_empty arm.facts
  end

  def test_the_profile_says_why_a_server_can_not_change
    @threads = nil
    fixed = :sidekiq
    @arm = Holdup::LiveArm.new(folder: -> { folder }, levers: -> { [] }, limits: -> { {} }, log: @log,
      clock: @clock, fixed: -> { fixed })
    assert_equal({"live.none" => "sidekiq"}, @arm.profile)
  end

  # The first call after which a worker breaks its promise.
  class Watch
    attr_accessor :broken, :goal

    def start(goal) = @goal = goal

    def stop = @goal = nil

    def call = @broken
  end

  def autopilot(threads: 1..8, env: {}, watch: Watch.new)
    goal = Holdup::ConfigurationKeys::AutopilotGoal.parse(
      "p95=300ms threads=#{threads.min}..#{threads.max} window=10"
    )
    @arm = Holdup::LiveArm.new(folder: -> { folder }, levers: -> { [@threads] }, limits: -> { {} }, log: @log,
      clock: @clock, goal: -> { goal }, env:, watch: -> { watch })
  end

  def kept = Plan::PlanFile.new(folder, Plan::PlanFile::KEPT)

  # @return [Holdup::ExperimentPlan] of the autopilot
  def leased(turns: nil, lease_s: 60, **facts)
    lease = Holdup::PlanLease.new(leased_s: @clock.realtime_s, lease_s:)
    Plan.new(id: "k3f9", lever: "threads", values: [5, 3], turns:, lease:, by: "collector@web-1",
      why: "5 stall each other", **facts)
  end

  def test_what_the_autopilot_keeps_is_set_as_long_as_it_is_renewed
    autopilot
    kept.write(leased)
    assert_equal [3], pass(60).map(&:last).uniq
    assert_nil @arm.facts["arm"]
    kept.write(leased)
    assert_equal [3], pass(60).map(&:last).uniq
    assert_equal [5], pass(30).map(&:last).uniq
    assert_equal [
      "autopilot k3f9: threads 5 -> 3, kept (collector@web-1: 5 stall each other)",
      "autopilot k3f9: 3 threads reached after 15 s",
      "autopilot k3f9 ends: threads 3 -> 5, as configured (its lease was not renewed for 60 s)",
      "autopilot k3f9 has ended: 5 threads reached after 15 s"
    ], @log.infos
    assert_equal [[:kept, 5, 3, :autopilot, "collector@web-1", "5 stall each other"],
      [:ends, 3, 5, :lease, "", "@lease seconds=60"]], audit
    assert_equal [5, 3, 5], @threads.all
  end

  def test_an_experiment_of_the_autopilot_needs_its_lease_too
    autopilot
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5)
    file.write(leased(turns:, lease_s: 100))
    assert_includes pass(99).map(&:last), 3
    assert_equal [[nil, 5]], pass(300).drop(20).uniq
  end

  def test_a_clock_that_is_set_ends_a_lease
    {back: -3600, ahead: 3600}.each do |name, seconds|
      @clock = HandClock.new(realtime_ns: START_S * 1_000_000_000)
      autopilot
      kept.write(leased)
      assert_equal [3], pass(10).map(&:last).uniq, name
      @clock.realtime_ns += seconds * 1_000_000_000
      assert_equal [5], pass(5).map(&:last).uniq, name
    end
  end

  # A clock that stands still, or is set back again and again.
  def test_a_lease_ends_by_the_clock_that_can_not_be_set
    autopilot
    kept.write(leased)
    60.times { @arm.install.tap { @clock.monotonic_ns += 1_000_000_000 } }
    assert_equal 3, @threads.value
    2.times { @arm.install.tap { @clock.monotonic_ns += 1_000_000_000 } }
    assert_equal 5, @threads.value
  end

  def test_nothing_outside_of_the_range_is_set
    autopilot(threads: 4..8)
    kept.write(leased)
    file.write(leased(values: [5, 9], id: "high",
      turns: Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5), lease_s: 3600))
    assert_equal [5], pass(500).map(&:last).uniq
    assert_includes @log.lines,
      "autopilot k3f9 is not followed: it sets 3 threads, and config.autopilot allows 4..8"
  end

  def test_a_plan_of_the_autopilot_is_nothing_to_a_process_that_did_not_ask_for_it
    kept.write(leased)
    assert_equal [[nil, 5]], pass(30).uniq
    assert_equal ["autopilot k3f9 is not followed: config.autopilot is off in this process"], @log.lines
  end

  def test_other_configured_threads_are_the_users_decision
    autopilot
    kept.write(leased(values: [6, 3]))
    assert_equal [5], pass(30).map(&:last).uniq
    assert_match(/better than 6 threads, and 5 are configured now/, @log.lines.first)
  end

  def test_freezing_returns_the_configured_threads_until_thawed
    autopilot
    kept.write(leased)
    pass(5)
    files = Holdup::AutopilotFolder.new(folder)
    files.freeze_changes("ops")
    assert_equal [5], pass(5).map(&:last).uniq
    assert_equal "autopilot k3f9 ends: threads 3 -> 5, as configured (operator ops: frozen)", @log.infos.last
    assert_equal [:ends, 3, 5, :operator, "ops", "@frozen"], audit.last
    files.thaw
    assert_equal [3], pass(5).map(&:last).uniq
  end

  # The collector says why before it takes the plan away.
  def test_the_end_of_a_plan_has_the_reason_of_the_collector
    autopilot
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5)
    file.write(leased(turns:, lease_s: 600))
    pass(120)
    files = Holdup::AutopilotFolder.new(folder)
    files.end_plan("k3f9", at_s: 1, by: "collector@web-1", why: "worse: p95 +20 %")
    file.remove
    pass(1)
    assert_match(/\Aautopilot k3f9 ends: threads .*\(collector@web-1: worse: p95 \+20 %\)\z/, @log.infos.last)
    assert_equal [:autopilot, "collector@web-1", "worse: p95 +20 %"], audit.last.last(3)
  end

  # Its experiment has the same id.
  def test_what_an_experiment_found_better_is_kept
    autopilot
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5)
    file.write(leased(turns:, lease_s: 600))
    pass(10)
    before = @threads.value
    kept.write(leased(lease_s: 600, why: "p95 -20 %"))
    file.remove
    pass(5)
    from = (before == 3) ? "stay 3" : "5 -> 3"
    assert_equal "autopilot k3f9: threads #{from}, kept (collector@web-1: p95 -20 %)", @log.infos.last
    assert_equal [:kept, before, 3, :autopilot], audit.last.first(4)
  end

  # What was kept before goes on as soon as an experiment against it is over.
  def test_what_is_kept_returns_after_an_experiment
    autopilot
    kept.write(leased(lease_s: 3600, values: [5, 4], id: "kept"))
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5)
    file.write(leased(turns:, lease_s: 3600, values: [4, 3]))
    pass(130)
    file.remove
    pass(2)
    assert_equal 4, @threads.value
    assert_match(/\Aautopilot k3f9 ends: threads (3 -> 4|stay 4) \(/, @log.infos[-2])
    assert_equal "autopilot kept: threads stay 4, kept (collector@web-1: 5 stall each other)", @log.infos[-1]
    assert_equal [:ends, :kept], audit.last(2).map(&:first)
  end

  def test_a_variable_freezes_too_but_no_experiment_of_a_user
    autopilot(env: {"HOLDUP_AUTOPILOT_FREEZE" => "1"})
    kept.write(leased)
    assert_equal [5], pass(5).map(&:last).uniq
    @arm = nil
    file.write(plan)
    assert_includes pass(120).map(&:last), 3
  end

  def test_a_broken_promise_ends_the_plan_at_once_and_for_all_workers
    watch = Watch.new
    autopilot(watch:)
    kept.write(leased)
    pass(5)
    refute_nil watch.goal
    watch.broken = "p95 of 100 requests was 900 ms, over p95=300ms"
    assert_equal 5, pass(1).last.last
    assert_nil watch.goal
    assert_match(/was 900 ms, over p95=300ms in two windows of 10 s with 3 threads/, @log.lines.first)
    assert_match(/ends: threads 3 -> 5, as configured \(worker \d+: p95 of 100 requests was 900 ms/,
      @log.infos.last)
    assert_equal [:ends, 3, 5, :autopilot, "worker #{Process.pid}"], audit.last.first(5)
    other = autopilot
    other.install
    kept.write(leased)
    assert_equal [5], pass(30).map(&:last).uniq
    kept.write(leased(id: "next"))
    assert_equal [3], pass(5).map(&:last).uniq
  end

  # Its folder can't be written.
  def test_a_worker_that_can_not_say_it_still_gives_the_value_up
    watch = Watch.new
    autopilot(watch:)
    kept.write(leased)
    pass(5)
    Dir.mkdir(File.join(folder, "autopilot.reverted"))
    watch.broken = "too slow"
    assert_equal [5], pass(20).map(&:last).uniq
    assert_match(/other workers can't know/, @log.lines.last)
  end

  def test_the_turn_of_the_control_is_not_watched
    watch = Watch.new
    autopilot(watch:)
    turns = Holdup::Switchback.new(from_s: START_S, turn_s: 60, settle_s: 15, cycles: 5)
    file.write(leased(lease_s: 600, turns:))
    seen = Array.new(300) do
      @arm.install
      move(1)
      [@threads.value, watch.goal.nil?]
    end
    assert_equal [[3, false], [5, true]], seen.uniq.sort_by(&:first)
  end

  def test_the_profile_says_what_is_asked_for
    assert_equal({"live.threads" => 8, "live.threads.configured" => 5}, arm.profile)
    assert_equal "p95=300ms threads=1..8 changes_per_day=2 errors=0.05 turn=180 window=10 lease=60",
      autopilot.profile["autopilot"]
  end

  def test_a_child_begins_anew
    file.write(plan)
    pass(30)
    reader, writer = IO.pipe
    pid = fork do
      before = @threads.all.size
      arm.install
      writer.write("#{arm.facts["arm"]} #{@threads.all.size - before}")
      exit!(0)
    end
    writer.close
    assert_equal "changing 1", reader.read
  ensure
    Process.wait(pid) if pid
  end
end
