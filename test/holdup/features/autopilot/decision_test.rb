# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# The loop in scripted time: nothing here sleeps, and no process runs.
class Holdup::Autopilot::DecisionTest < Minitest::Test
  Autopilot = Holdup::Autopilot::CollectorPart
  State = Holdup::Autopilot::State
  NOW_S = 1_790_000_000
  TICK_S = 10
  GOOD = {"threads" => 3, "why" => "5 threads stall each other", "grade" => "a", "fresh" => true,
          "load" => 1.0, "planned_s" => 7200, "reason" => nil}.freeze

  def setup
    @now_s = NOW_S
    @state = State.new
    @decision = Holdup::Autopilot::Decision.new(random: Random.new(1))
    @goal = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=300ms threads=1..8 changes_per_day=2")
    @lines = []
  end

  def tick(answer: nil, after: TICK_S, **facts)
    @now_s += after
    now = Autopilot::AutopilotSituation.new(now_s: @now_s, goal: @goal, by: "collector@web-1", processes: 2,
      configured: [5], revisions: ["r1"], answer:, **facts)
    step = @decision.call(@state, now)
    @state = step.state
    @lines += step.lines
    step.question
  end

  def begin_experiment(**facts)
    tick(**facts)
    tick(answer: GOOD, **facts)
    assert_equal :experiment, @state.phase
    @state.plan
  end

  # Renews the lease until then.
  def pass_until(second, **facts)
    questions = []
    questions << tick(**facts) while @now_s < second
    questions.compact
  end

  def verdict(key)
    judged = Holdup::ChangeReason::JudgedFigure.new(name: "wall_p95", change: "-20 %", interval: "-30..-10 %")
    why = Holdup::ChangeReason.of(:"judged_#{key}", moved: [judged], visible: [judged]).to_s
    {"id" => @state.plan.id, "key" => key, "why" => why}
  end

  def keep
    begin_experiment
    pass_until(@state.plan.turns.changes_s + 360)
    tick(answer: verdict("better"))
    assert_equal :kept, @state.phase
  end

  def test_it_asks_what_to_try_now_and_then
    assert_equal :candidate, tick
    assert_equal [], pass_until(@now_s + 590)
    assert_equal :candidate, tick
    assert_equal :waiting, @state.phase
    assert_empty @lines
  end

  def test_a_candidate_begins_an_experiment_with_a_phase_of_equals
    plan = begin_experiment
    assert_equal [[5, 3], "threads", "5 threads stall each other", 6, 20],
      [plan.values, plan.lever, plan.why, plan.turns.equal_cycles, plan.turns.cycles]
    assert plan.lease.holds?(@now_s + 59)
    refute plan.lease.holds?(@now_s + 60)
    begins = /\Aautopilot \w{4}: threads 5 -> 3 in turns until \d\d:\d\d UTC \(collector@web-1: 5 threads/
    assert_match(begins, @lines.first)
  end

  def test_processes_are_tried_in_the_same_way_and_have_longer_to_settle
    @goal = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=300ms processes=1..4")
    tick(configured: [2])
    tick(answer: GOOD.except("threads").merge("processes" => 3), configured: [2])
    plan = @state.plan
    assert_equal ["processes", [2, 3], 90], [plan.lever, plan.values, plan.turns.settle_s]
    assert_match(/\Aautopilot \w{4}: processes 2 -> 3 in turns until/, @lines.first)
    assert_equal "processes", @state.history.last[:lever]
    pass_until(plan.turns.changes_s + 360, configured: [2])
    tick(answer: verdict("better"), configured: [2])
    assert_equal ["processes", [2, 3]], [@state.kept.lever, @state.kept.values]
    assert_match(/processes 2 -> 3 for all workers/, @lines.last)
  end

  # Another version of Puma, or another setting.
  def test_what_is_kept_of_another_lever_ends
    keep
    @goal = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=300ms processes=1..4")
    tick(configured: [2])
    assert_equal [:waiting, :other_lever, nil], [@state.phase, @state.waits, @state.kept]
    assert_match(/threads 3 -> .*names another setting now/, @lines.last)
  end

  # What is so => why nothing begins.
  def test_nothing_begins_while_something_speaks_against_it
    {
      {youngest_s: 599} => :warm_up,
      {revisions: %w[r1 r2]} => :deploy,
      {other: true} => :other_experiment,
      {frozen_by: "ops"} => :frozen,
      {processes: 0} => :no_process,
      {goal: nil} => :off,
      {configured: [5, 6]} => :several_configured
    }.each do |facts, reason|
      setup
      tick
      tick(answer: GOOD, **facts)
      assert_equal [:waiting, reason], [@state.phase, @state.waits], facts
      assert_empty @lines.grep_v(/\Aautopilot: frozen/)
    end
  end

  def test_the_freeze_switch_is_one_line_of_the_log_each_time
    keep
    3.times { tick(frozen_by: "ops@web-1") }
    assert_equal "autopilot: frozen, so threads return to what is configured and nothing is tried " \
      "(collector@web-1: operator ops@web-1)", @lines.last
    tick
    assert_equal "autopilot: thawed, so it goes on, threads 5 -> 3 are kept again (collector@web-1)",
      @lines.last
    assert_equal 1, @lines.grep(/autopilot: frozen/).size
  end

  # What the recording says => why nothing begins.
  def test_a_candidate_that_must_not_be_tried
    {
      {"reason" => "not_enough", "threads" => nil} => :unknown,
      {"fresh" => false} => :not_fresh,
      {"load" => 0.49} => :low_load,
      {"grade" => "c"} => :self_test,
      {"threads" => 5} => :best_already,
      {"threads" => nil} => :best_already,
      {"threads" => "3"} => :best_already,
      {"threads" => 9} => :limits
    }.each do |answer, reason|
      setup
      tick
      tick(answer: GOOD.merge(answer))
      assert_equal [:waiting, reason], [@state.phase, @state.waits], answer
    end
  end

  def test_no_more_experiments_a_day_than_allowed
    2.times do
      begin_experiment
      pass_until(@state.plan.turns.changes_s + 360)
      tick(answer: verdict("none"))
      @state = @state.with(refused: {})
      pass_until(@now_s + 600)
    end
    tick(answer: GOOD)
    assert_equal [:waiting, :daily_limit], [@state.phase, @state.waits]
    tick(after: 86_400)
    refute_equal :daily_limit, @state.waits
  end

  def test_it_asks_for_a_verdict_only_when_the_arms_differ
    plan = begin_experiment
    assert_empty pass_until(plan.turns.changes_s)
    assert_equal [:verdict], pass_until(plan.turns.changes_s + plan.turns.cycle_s).uniq
  end

  def test_better_becomes_the_setting_of_all_workers
    keep
    kept = @state.kept
    assert_equal [[5, 3], nil], [kept.values, kept.turns]
    reason = Holdup::ChangeReason.parse(kept.why)
    assert_equal [:judged_better, "-20 %"], [reason.key, reason.figures(:moved).first.change]
    assert_nil @state.plan
    kept = "threads 5 -> 3 for all workers (collector@web-1: Better: elapsed p95 -20 % (-30..-10 %).)"
    assert @lines.last.end_with?(kept), @lines.last
    pass_until(@now_s + 3600)
    assert @state.kept.lease.holds?(@now_s + 50)
    assert_equal 2, @lines.size
  end

  def test_anything_else_returns_and_is_not_tried_again_that_day
    {"worse" => "Worse: elapsed", "both" => "Better and worse: elapsed"}.each do |key, said|
      setup
      begin_experiment
      pass_until(@state.plan.turns.changes_s + 360)
      tick(answer: verdict(key))
      assert_equal [nil, nil], [@state.plan, @state.kept], key
      assert_match(/threads 3 -> 5 \(collector@web-1: #{said}/, @lines.last)
      tick(answer: GOOD)
      assert_equal :refused, @state.waits
      tick(answer: GOOD, after: 86_400)
      assert_equal :experiment, @state.phase
    end
  end

  def test_an_experiment_without_a_difference_or_without_a_sound_answer_returns
    {"none" => [:judged_none, {visible: []}, "No difference"],
     "invalid" => [:judged_drift, {}, "Invalid: "]}.each do |key, (reason, facts, said)|
      setup
      begin_experiment
      pass_until(@state.plan.turns.changes_s + 360)
      why = Holdup::ChangeReason.of(reason, **facts).to_s
      tick(answer: {"id" => @state.plan.id, "key" => key, "why" => why})
      assert_equal [nil, nil], [@state.plan, @state.kept], key
      assert_match(/threads 3 -> 5 \(collector@web-1: #{said}/, @lines.last)
      tick(answer: GOOD)
      assert_equal :refused, @state.waits
    end
  end

  def test_a_verdict_of_another_experiment_and_one_that_is_not_there_yet_change_nothing
    begin_experiment
    pass_until(@state.plan.turns.changes_s + 360)
    tick(answer: {"id" => "other", "key" => "better"})
    tick(answer: verdict("running"))
    assert_equal :experiment, @state.phase
  end

  def test_an_experiment_that_nobody_judges_ends
    plan = begin_experiment
    pass_until(plan.turns.ends_s + 280)
    assert_equal :experiment, @state.phase
    tick(after: 20)
    assert_equal :waiting, @state.phase
    assert_match(/it could not be judged/, @lines.last)
  end

  # What happens during an experiment => why it ends.
  def test_what_ends_an_experiment_at_once
    {
      {frozen_by: "ops"} => /frozen/,
      {revisions: ["r2"]} => /deploy/,
      {revisions: %w[r1 r2]} => /deploy/,
      {configured: [6]} => /6 are configured now/,
      {configured: [5, 6]} => /several configured/,
      {goal: nil} => /off/,
      {after: 61} => /the collector was away/,
      {after: -3600} => /the collector was away/,
      {goal: Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=1s threads=4..8")} =>
        /config.autopilot allows 4\.\.8/
    }.each do |facts, why|
      setup
      begin_experiment
      @goal = facts.fetch(:goal, @goal)
      tick(**facts.except(:goal))
      assert_equal [nil, nil], [@state.plan, @state.kept], facts
      assert_match(/threads 3 -> .* \(collector@web-1: .*#{why}/, @lines.last)
    end
  end

  def test_a_collector_that_was_gone_for_less_than_the_lease_goes_on
    begin_experiment
    @state = State.parse(@state.to_json)
    tick(after: 59)
    assert_equal :experiment, @state.phase
  end

  def test_what_a_worker_took_back_ends_and_is_not_tried_again_that_day
    plan = begin_experiment
    back = Holdup::AutopilotFolder::TakenBack.new(plan.id, 3, @now_s, 7, "p95 was 900 ms")
    tick(taken_back: [back])
    assert_nil @state.plan
    assert_match(/threads 3 -> 5 \(collector@web-1: worker 7: p95 was 900 ms\)/, @lines.last)
    tick(answer: GOOD, taken_back: [back])
    assert_equal :refused, @state.waits
  end

  def test_what_is_kept_goes_when_a_worker_took_it_back
    keep
    back = Holdup::AutopilotFolder::TakenBack.new(@state.kept.id, 3, @now_s, 7, "too slow")
    tick(taken_back: [back])
    assert_nil @state.kept
    assert_equal 2, @lines.grep(/3 -> 5|5 -> 3 for all/).size
  end

  # What happens to what is kept => whether it stays.
  def test_what_is_kept_follows_the_users_decisions
    {
      {configured: [6]} => false,
      {configured: [3]} => false,
      {goal: nil} => false,
      {goal: Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=1s threads=4..8")} => false,
      {revisions: ["r2"]} => true,
      {frozen_by: "ops"} => true,
      {processes: 0} => true,
      {after: 3600} => true
    }.each do |facts, stays|
      setup
      keep
      @goal = facts.fetch(:goal, @goal)
      tick(**facts.except(:goal))
      assert_equal stays, !@state.kept.nil?, facts
    end
  end

  def test_the_lease_of_what_is_kept_is_not_renewed_while_frozen
    keep
    lease = @state.kept.lease
    tick(frozen_by: "ops")
    assert_equal lease, @state.kept.lease
    tick
    refute_equal lease, @state.kept.lease
  end

  # From what is kept on, and back to it.
  def test_another_candidate_is_tried_against_what_is_kept
    keep
    pass_until(@now_s + 600)
    tick(answer: GOOD.merge("threads" => 2))
    assert_equal [3, 2], @state.plan.values
    pass_until(@state.plan.turns.changes_s + 360)
    tick(answer: verdict("worse"))
    assert_equal [5, 3], @state.kept.values
    assert_match(/threads 2 -> 3 /, @lines.last)
  end

  def test_the_configured_threads_may_turn_out_better_again
    keep
    pass_until(@now_s + 600)
    tick(answer: GOOD.merge("threads" => 5))
    pass_until(@state.plan.turns.changes_s + 360)
    tick(answer: verdict("better"))
    assert_equal [nil, nil], [@state.plan, @state.kept]
    assert_match(/threads 3 -> 5 for all workers/, @lines.last)
  end

  def test_each_change_is_in_the_history
    keep
    assert_equal [[5, 3], [5, 3]], @state.history.map { |change| change.values_at(:from, :to) }
    assert_equal ["collector@web-1"], @state.history.map { |change| change[:by] }.uniq
  end

  def test_the_state_survives_as_text
    keep
    begin_again = State.parse(@state.to_json)
    assert_equal @state, begin_again
    tick(answer: GOOD.merge("threads" => 2), after: 700)
    assert_equal @state, State.parse(@state.to_json)
    [nil, "", "{", "{}", "[]", "null", '{"refused": 1}'].each do |text|
      assert_equal State.new, State.parse(text), text.inspect
    end
  end

  # Whatever happens, in any order: no value outside of the limits, and nothing without a lease.
  def test_random_events_never_lead_beyond_the_limits
    events = Random.new(7)
    keys = %w[better worse none both invalid running]
    60.times do |round|
      setup if (round % 20).zero?
      60.times do
        answer = if events.rand < 0.3
          GOOD.merge("threads" => events.rand(0..12))
        elsif events.rand < 0.3 && @state.plan
          verdict(keys.sample(random: events))
        end
        facts = {}
        facts[:frozen_by] = "ops" if events.rand < 0.02
        facts[:revisions] = ["r#{events.rand(3)}"] if events.rand < 0.02
        facts[:configured] = [events.rand(1..9)] if events.rand < 0.02
        tick(answer:, after: (events.rand < 0.05) ? events.rand(-5000..5000) : events.rand(1..400), **facts)
        plans = [@state.plan, @state.kept].compact
        assert_empty plans.reject { |plan| @goal.threads.cover?(plan.values.last) }
        assert plans.all?(&:autopilot?)
        assert_operator @state.begun.size, :<=, 2
      end
    end
  end
end
