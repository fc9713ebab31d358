# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

# Arms that take turns on the running processes of a host: how they are started, stopped and judged.
class Holdup::Experiment::TurnsCommandTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  NOW_S = SimulatedArms::START_S - 10
  ABLE = {"server" => "puma", "lever.threads.value" => 5, "live.threads" => 8}.freeze

  def experiment(*arguments, now_s: NOW_S, env: {})
    env = {"HOLDUP_DIR" => folder, "USER" => "deploy", "COLUMNS" => "80", **env}
    holdup("experiment", *arguments, env:, now_s:)
  end

  def start(*arguments, **options) = experiment("start", "--for", "2h", *arguments, **options)

  def plan = Holdup::ExperimentPlan::PlanFile.new(folder).read

  # This process is the one that lives.
  def measuring(*profiles)
    profiles.each_with_index do |profile, index|
      SegmentWriter.new(folder, suffix: ("-#{index}" if index.positive?)).profile = profile
    end
  end

  def test_start_writes_the_plan_that_processes_follow
    measuring(ABLE, ABLE)
    said = start("--threads", "3", "--why", "less stall?")
    assert_equal [0, ""], [said.status, said.err]
    sentences = said.out.gsub(/\s+/, " ")
    assert_match(/Experiment \w{4}: 5 and 3 threads take turns of 3 min in 2 processes, until 02:36 UTC/,
      sentences)
    assert_match(/Both arms have 5 until 00:36 UTC \(A\/A\)\. Next: `holdup experiment status`/, sentences)
    assert_equal [[5, 3], "threads", "less stall?"], [plan.values, plan.lever, plan.why]
    assert_match(/\Adeploy@/, plan.by)
    assert_equal [SimulatedArms::START_S, 180, 6, 20],
      [plan.turns.from_s, plan.turns.turn_s, plan.turns.equal_cycles, plan.turns.cycles]
  end

  def test_both_numbers_and_the_length_of_turns
    measuring(ABLE)
    assert_equal 0, start("--threads", "4,8", "--turn", "5m").status
    assert_equal [[4, 8], 300, 12], [plan.values, plan.turns.turn_s, plan.turns.cycles]
    seed = plan.turns.seed
    experiment("stop")
    start("--threads", "4,8")
    refute_equal seed, plan.turns.seed
  end

  # The store has windows of a minute.
  def test_a_turn_takes_a_minute_at_least
    measuring(ABLE)
    said = start("--threads", "3", "--turn", "45s")
    assert_equal 2, said.status
    assert_match(/it takes a time of 1m or more/, said.err)
  end

  def test_in_japanese
    measuring(ABLE)
    assert_match(/1 個のプロセスで、スレッド数 5 と 3 を 3 分ずつ交互に使います/, start("--threads", "3", "--lang", "ja").out)
    assert_match(/を止めました/, experiment("stop", "--lang", "ja").out)
  end

  # What is wrong => what it says and what to do.
  REFUSED = {
    [[], ["3"]] => /no process measures in .*application's HOLDUP_DIR/m,
    [[{"server" => "puma", "lever.threads.value" => 5}], ["3"]] => /as Puma 8 can; .*its own HOLDUP_ARM/m,
    [[{"server" => "sidekiq", "live.none" => "sidekiq"}], ["3"]] =>
      /Sidekiq makes its threads once and .*; start half of the processes .* its own HOLDUP_ARM/m,
    [[ABLE, ABLE.merge("lever.threads.value" => 4)], ["3"]] => /different numbers of threads: 4, 5; .*5,3/m,
    [[ABLE], ["9"]] => /allows 8; set HOLDUP_LIVE_THREADS=9 if the database pool/,
    [[ABLE, ABLE.merge("live.threads" => 2)], ["3"]] => /it takes 5 threads, and .* allows 2/,
    [[ABLE], ["5"]] => /both arms would have 5 threads/,
    [[ABLE], ["3", "--turn", "90s"]] => /--turn|whole minutes/,
    [[ABLE], ["3", "--for", "20m"]] => /--for is too short for 6 turns of each arm; give at least 36m/,
    [[ABLE], ["3", "--for", "3d"]] => /at most a day/
  }.freeze

  def test_what_no_process_can_follow_is_refused
    REFUSED.each do |(profiles, arguments), message|
      Dir.children(folder).each { |name| File.unlink(File.join(folder, name)) }
      measuring(*profiles)
      said = start("--threads", *arguments)
      assert_match(message, said.err)
      refute_equal 0, said.status
      assert_nil plan, message.inspect
    end
  end

  def test_no_plan_goes_through_a_link_or_into_no_folder
    link = File.join(folder, "link")
    Dir.mktmpdir do |other|
      File.symlink(other, link)
      assert_match(/is not a folder of this user/, start("--threads", "3", env: {"HOLDUP_DIR" => link}).err)
      assert_empty Dir.children(other)
    end
    nowhere = File.join(folder, "nowhere")
    assert_match(/no process measures in/, start("--threads", "3", env: {"HOLDUP_DIR" => nowhere}).err)
  end

  def test_one_after_the_other
    measuring(ABLE)
    start("--threads", "3")
    said = start("--threads", "4")
    assert_match(/experiment \w{4} runs until 02:36 UTC; end it with holdup experiment stop/, said.err)
    assert_equal [5, 3], plan.values
    assert_equal 0, start("--threads", "4", now_s: plan.turns.ends_s).status
    assert_equal [5, 4], plan.values
  end

  def test_what_is_stopped_keeps_its_whole_cycles
    assert_match(/No experiment runs/, experiment("stop").out)
    measuring(ABLE)
    start("--threads", "3")
    assert_match(/Experiment \w{4} is stopped/, experiment("stop").out)
    assert_nil plan, "nothing was measured"
    start("--threads", "3")
    experiment("stop", now_s: plan.turns.changes_s + 800)
    assert_equal [6, 2], [plan.turns.equal_cycles, plan.turns.cycles]
    assert_nil plan.turn(plan.turns.changes_s + 800)
  end

  def test_start_needs_its_options
    assert_match(/start needs the planned length; give --for 2h/, experiment("start", "--threads", "3").err)
    assert_match(/give the candidate's threads: --threads 3/, start.err)
  end

  # @param simulated [SimulatedArms] whose windows belong to the arm that had its turn
  # @yieldparam path [String] of the store
  def measured(simulated, plan)
    path = File.join(folder, "store.sqlite3")
    store = Holdup::Store.open(path)
    store.commit(simulated.in_turns(plan.turns).map { |window| labelled(window, plan) }, {})
    store.close
    Holdup::ExperimentPlan::PlanFile.new(folder).write(plan)
    path
  end

  # The first minute of each turn passes until the pool is at its target.
  def labelled(window, plan)
    turn = plan.turn(window.start_s)
    settled = plan.turns.arm_at(window.start_s)
    facts = {"server" => "puma", "threads" => turn.value, "arm" => settled ? turn.arm : "changing"}
    window.with(setting: Holdup::Setting.new(attributes: facts))
  end

  def simulated_plan(cycles: 24)
    turns = Holdup::Switchback.new(from_s: SimulatedArms::START_S, turn_s: 120, settle_s: 60, equal_cycles: 6,
      cycles:, seed: 7)
    Holdup::ExperimentPlan.new(id: "x7k2", lever: "threads", values: [5, 3], turns:, by: "", why: "")
  end

  def test_the_report_judges_cycles_and_the_first_phase
    path = measured(SimulatedArms.new(minutes: 120, effect: 0.3), simulated_plan)
    said = experiment("report", "--json", "--store", path, now_s: simulated_plan.turns.ends_s)
    found = JSON.parse(said.out)
    assert_equal "better", found["verdict"]["key"], said.err
    arms = found.values_at("control", "candidate")
    assert_equal %w[x7k2:control x7k2:candidate], arms.map { |arm| arm["label"] }
    assert_equal [["x7k2", "equal"]], found["equality"].map { |check| check.values_at("label", "key") }
    assert_equal [[12, 24], 240], found["looks"].values_at("planned", "block_seconds")
    cpu = found["figures"].find { |figure| figure["name"] == "cpu_unit" }
    assert_in_delta(-0.3, cpu["relative"], 0.06)
  end

  def audited(path, plan)
    store = Holdup::Store.open(path)
    facts = {host: "web-1", lever: "threads", who: :experiment, by: "deploy@web-1"}
    entries = [
      {at_s: plan.turns.from_s, event: :begins, from: 5, to: 5, plan_id: plan.id, why: "less stall?"},
      {at_s: plan.turns.changes_s, event: :turn, from: 5, to: 3, plan_id: plan.id,
       why: "turn 13 of 60, candidate"},
      {at_s: plan.turns.changes_s, event: :turn, from: 5, to: 4, plan_id: "else", why: "of another one"}
    ]
    entries = entries.flat_map { |entry| [7, 8].map { |pid| {**facts, **entry, pid:} } }
    changes = entries.map.with_index { |entry, index| Holdup::AuditEntry.new(source: "s:#{index}", **entry) }
    store.commit([], {}, audit: changes)
  ensure
    store.close
  end

  def test_the_report_has_the_audit_log_of_the_experiment
    plan = simulated_plan
    path = measured(SimulatedArms.new(minutes: 120, effect: 0.3), plan)
    audited(path, plan)
    said = experiment("report", "--store", path, now_s: plan.turns.ends_s).out
    turn = /^x7k2, next turn: experiment .*threads 5 -> 3 +7, 8\n +deploy@web-1: turn 13 of 60, candidate$/
    assert_match(turn, said)
    assert_match(/^x7k2 begins: experiment .*threads stay 5/, said)
    refute_match(/of another one/, said)
    found = JSON.parse(experiment("report", "--json", "--store", path, now_s: plan.turns.ends_s).out)
    assert_equal [["begins", 5, 5, [7, 8]], ["turn", 5, 3, [7, 8]]],
      found["changes"].map { |change| change.values_at("event", "from", "to", "processes") }
  end

  def test_status_says_how_far_it_is
    plan = simulated_plan
    path = measured(SimulatedArms.new(minutes: 24 + 32), plan)
    now_s = plan.turns.changes_s + 8 * 240
    said = experiment("status", "--store", path, now_s:)
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^8 of 24 blocks of 4 min; 2 looks, none so far\.$/, said.out)
  end

  def test_before_the_arms_differ_there_is_nothing_to_judge
    path = measured(SimulatedArms.new(minutes: 20), simulated_plan)
    said = experiment("report", "--store", path, now_s: SimulatedArms::START_S + 1200)
    assert_match(/the arms of experiment x7k2 were not measured yet; both are the same until 00:24 UTC/,
      said.err)
  end
end
