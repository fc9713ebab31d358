# frozen_string_literal: true

require "test_helper"
require "holdup/agent/live_arm"

class Holdup::LiveArmTest < Minitest::Test
  include TemporaryFolder

  Plan = Holdup::ExperimentPlan
  START_S = 1_790_000_040 # a multiple of the cycles

  # What a server offers; it takes `slow` looks until a value is true.
  class Threads
    attr_reader :value, :all

    def initialize(slow: 0)
      @slow = slow
      @all = []
      restore
    end

    def name = "threads"

    def set(value)
      @value = value
      @all << value
      @looks = 0
    end

    def restore = set(5)

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
    assert_match(/experiment x begins: threads 5 and 3 take turns every 60 s until \S+ UTC \(deploy\)/,
      @log.infos.first)
    assert_equal "the experiment ends: threads as configured", @log.infos.last
    assert_equal 2, @log.infos.size
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
    end
  end

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
