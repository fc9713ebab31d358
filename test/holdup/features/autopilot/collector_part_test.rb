# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::CollectorPartTest < Minitest::Test
  include TemporaryFolder

  Autopilot = Holdup::Autopilot::CollectorPart
  NOW_S = 1_790_000_000
  GOAL = "p95=300ms threads=1..8 changes_per_day=2"
  PROFILE = {
    "live.threads.configured" => 5, "autopilot" => GOAL, "lever.threads.where" => "config/puma.rb:3"
  }.freeze
  GOOD = {"threads" => 3, "why" => "stall", "grade" => "a", "fresh" => true, "load" => 1.0}.freeze

  # Answers what the test says, once.
  class Answers
    attr_accessor :answer
    attr_reader :asked, :closed

    def initialize = @asked = []

    def ask(question, goal:, since_s:) = @asked << [question, goal.slo, since_s]

    def poll = @answer.tap { @answer = nil }

    def close = @closed = true
  end

  def setup
    super
    @clock = HandClock.new(realtime_ns: NOW_S * 1_000_000_000)
    @log = CollectedLog.new
    @answers = Answers.new
    @env = {}
  end

  def autopilot(**options)
    Autopilot.new(dir: folder, inquiry: @answers, log: @log, clock: @clock, env: @env,
      decision: Holdup::Autopilot::Decision.new(ask_every_s: 0), **options)
  end

  def measuring(profile = PROFILE, suffix: nil, age_s: 3600)
    segment = SegmentWriter.new(folder, suffix:, now_ns: (NOW_S - age_s) * 1_000_000_000)
    segment.setting = JSON.generate("revision" => "r1")
    segment.profile = profile
    segment
  end

  def files = Holdup::AutopilotFolder.new(folder)

  def tick(pilot, seconds = 10)
    @clock.realtime_ns += seconds * 1_000_000_000
    @clock.monotonic_ns += seconds * 1_000_000_000
    pilot.call
  end

  def begin_experiment(pilot)
    tick(pilot)
    @answers.answer = GOOD
    tick(pilot)
    files.plan_file.read
  end

  def keep(pilot)
    plan = begin_experiment(pilot)
    tick(pilot, 50) while @clock.realtime_s < plan.turns.changes_s
    @answers.answer = {"id" => plan.id, "key" => "better", "why" => "p95 -20 %"}
    tick(pilot)
    files.kept_file.read
  end

  def test_where_no_process_asks_for_it_nothing_is_written
    measuring(PROFILE.except("autopilot"))
    pilot = autopilot
    3.times { tick(pilot) }
    assert_empty Dir.children(folder).grep(/autopilot|experiment/)
    assert_empty @answers.asked
  end

  def test_processes_that_ask_for_different_things_get_nothing
    measuring
    measuring(PROFILE.merge("autopilot" => GOAL.sub("8", "6")), suffix: "-2")
    tick(autopilot)
    assert_empty @answers.asked
  end

  CLUSTER = {"live.processes.configured" => 2, "autopilot" => "p95=300ms processes=1..4 threads=1..8",
             "lever.processes.where" => "ENV[WEB_CONCURRENCY]"}.freeze

  # Of a server that can't change its threads.
  def test_processes_of_a_cluster
    measuring(CLUSTER)
    pilot = autopilot
    tick(pilot)
    @answers.answer = GOOD.except("threads").merge("processes" => 3)
    tick(pilot)
    plan = files.plan_file.read
    assert_equal ["processes", [2, 3]], [plan.lever, plan.values]
    tick(pilot, 50) while @clock.realtime_s < plan.turns.changes_s
    @answers.answer = {"id" => plan.id, "key" => "better", "why" => "p95 -20 %"}
    tick(pilot)
    diff = "--- environment\n+++ environment\n-WEB_CONCURRENCY=2\n+WEB_CONCURRENCY=3"
    assert_operator @log.infos.last, :end_with?, "to make it permanent:\n#{diff}"
  end

  def test_threads_come_first_where_a_server_can_change_both
    measuring(CLUSTER.merge("live.threads.configured" => 5))
    assert_equal [5, 3], begin_experiment(autopilot).values
  end

  def test_why_no_server_can_change_what_is_asked
    measuring({"autopilot" => GOAL, "live.none" => "sidekiq"})
    tick(autopilot)
    state = Holdup::Autopilot::State.parse(files.state)
    assert_equal %i[no_process], [state.waits]
    assert_equal "sidekiq", state.detail
  end

  def test_a_candidate_becomes_a_plan_with_a_lease
    measuring
    pilot = autopilot
    plan = begin_experiment(pilot)
    assert_equal [[5, 3], true], [plan.values, plan.autopilot?]
    first = plan.lease
    tick(pilot)
    assert_operator files.plan_file.read.lease.leased_s, :>, first.leased_s
    assert_equal 1, @log.infos.size
  end

  def test_what_is_better_is_kept_and_the_line_to_change_is_named
    measuring
    pilot = autopilot
    kept = keep(pilot)
    assert_equal [[5, 3], nil], [kept.values, kept.turns]
    assert_nil files.plan_file.read
    diff = "--- config/puma.rb:3\n+++ config/puma.rb:3\n-threads 5, 5\n+threads 3, 3"
    assert_operator @log.infos.last, :end_with?, "to make it permanent:\n#{diff}"
    tick(pilot, 600)
    assert_equal [:candidate, "p95=300ms", NOW_S + 10 - 7200], @answers.asked.first
    assert_operator @answers.asked.last.last, :>, NOW_S
  end

  def test_a_young_process_is_warm_up
    measuring(age_s: 30)
    pilot = autopilot
    @answers.answer = GOOD
    tick(pilot)
    assert_nil files.plan_file.read
  end

  def test_another_collector_goes_on_with_what_is_in_the_folder
    measuring
    kept = keep(autopilot)
    other = autopilot
    tick(other)
    assert_equal kept.id, files.kept_file.read.id
    assert_equal Holdup::Autopilot::State.parse(files.state).kept, files.kept_file.read
  end

  # Not a moment with what another leader has changed since.
  def test_a_collector_that_leads_again_reads_the_state_again
    measuring
    first = autopilot
    keep(first)
    files.write_state(Holdup::Autopilot::State.new.to_json)
    first.forget
    tick(first)
    assert_nil files.kept_file.read
  end

  def test_freezing_ends_an_experiment_by_file_and_by_variable
    [-> { files.freeze_changes("ops") }, -> { @env = {"HOLDUP_AUTOPILOT_FREEZE" => "1"} }].each do |freeze|
      files.thaw
      files.write_state("{}")
      measuring unless Dir.glob("#{folder}/*.segment").any?
      begin_experiment(autopilot)
      freeze.call
      tick(autopilot)
      assert_nil files.plan_file.read
      assert_match(/frozen/, @log.infos.last)
    end
  end

  def test_an_experiment_of_a_user_is_left_alone
    measuring
    pilot = autopilot
    turns = Holdup::Switchback.after(NOW_S, turn_s: 60, settle_s: 15, cycles: 20)
    mine = Holdup::ExperimentPlan.new(id: "mine", lever: "threads", values: [5, 4], turns:, by: "me", why: "")
    files.plan_file.write(mine)
    @answers.answer = GOOD
    2.times { tick(pilot) }
    assert_equal mine, files.plan_file.read
  end

  def test_a_damaged_state_ends_what_was_set
    measuring
    keep(autopilot)
    File.write(File.join(folder, "autopilot.state"), "{")
    tick(autopilot)
    assert_nil files.kept_file.read
  end

  def test_a_lease_outlasts_three_rounds
    measuring
    plan = begin_experiment(autopilot(interval: 60))
    assert_equal 180, plan.lease.lease_s
  end

  def test_permanent_changes_in_the_words_of_their_place
    change = Holdup::Experiment::Result::PermanentChange
    assert_equal "--- environment\n+++ environment\n-MAX_THREADS=5\n+MAX_THREADS=3",
      change.of([5, 3], where: "ENV[MAX_THREADS]")
    assert_equal "--- command line\n+++ command line\n-puma -t 5:5\n+puma -t 3:3",
      change.of([5, 3], where: "ARGV")
    assert_match(/\A--- config\/puma.rb\n/, change.of([5, 3], where: nil))
  end

  # In the collector: after a round that stored everything, and without harm to it.
  class Broken
    attr_reader :calls

    def initialize = @calls = 0

    def call
      @calls += 1
      raise "no"
    end

    def forget = nil

    def close = nil
  end

  # Then leases end.
  def test_while_the_store_is_down_nothing_is_renewed
    store = Object.new
    def store.checkpoints(*, **) = raise("down")

    def store.close = nil
    counted = Broken.new
    collector = Holdup::Collector.new(store:, directory: folder, log: @log, interval: 0.1, autopilot: counted)
    thread = Thread.new { collector.run(signals: []) }
    wait_until { @log.lines.any? { |line| line.include?("segments are kept") } }
    collector.stop
    thread.join
    assert_equal 0, counted.calls
  end

  def test_a_failure_of_it_does_not_stop_the_collector
    broken = Broken.new
    store = Holdup::Store.open("sqlite://#{File.join(folder, "store.sqlite3")}")
    collector = Holdup::Collector.new(store:, directory: folder, log: @log, interval: 0.1, autopilot: broken)
    thread = Thread.new { collector.run(signals: []) }
    wait_until { broken.calls >= 3 }
    collector.stop
    thread.join
    assert_match(/the autopilot failed \(RuntimeError: no\)/, @log.lines.first)
    refute_match(/collector failed/, @log.lines.join)
  end
end
