# frozen_string_literal: true

require "test_helper"
require "holdup/model/experiment_plan"

class Holdup::ExperimentPlanTest < Minitest::Test
  include TemporaryFolder

  Plan = Holdup::ExperimentPlan
  FROM_S = 1_790_000_040

  def plan(turns: self.turns, **facts)
    Plan.new(id: "x7k2", lever: "threads", values: [5, 3], turns:, by: "deploy", why: "less stall?", **facts)
  end

  def turns(**facts)
    Holdup::Switchback.new(from_s: FROM_S, turn_s: 60, settle_s: 15, equal_cycles: 3, cycles: 20, **facts)
  end

  def test_what_is_written_is_read
    one = plan
    assert_equal one, Plan.parse(one.to_text)
    empty = plan(why: "", by: "")
    assert_equal empty, Plan.parse(empty.to_text)
    assert_equal "two lines", Plan.parse(plan(why: "two\nlines").to_text).why
  end

  def test_what_can_not_be_followed_is_refused
    text = plan.to_text
    ["", "\0\0", "id x\nvalues 5\n", text.sub("values 5 3", "values 5 0"), text.sub("turn_s 60", "turn_s x"),
      text.sub("turn_s 60", "turn_s 61"), text[0, 40]].each { |damaged|
      error = assert_raises(Holdup::DamagedData, damaged) { Plan.parse(damaged) }
      assert_match(/plan of an experiment/, error.message)
    }
    assert_raises(ArgumentError) { plan(values: [1, 2, 3]) }
    assert_raises(ArgumentError) { plan(turns: turns(cycles: 1000)) }
    assert_raises(ArgumentError) { plan(turns: turns(cycles: 0, equal_cycles: 0)) }
  end

  def test_nobody_has_a_turn_before_and_after
    assert_equal [true, false, false, true],
      [FROM_S - 1, FROM_S, turns.ends_s - 1, turns.ends_s].map { |second| plan.turn(second).nil? }
  end

  def test_at_first_both_arms_have_the_value_of_the_control
    seen = (FROM_S...turns.changes_s).map { |second| plan.turn(second) }
    assert_equal [5], seen.map(&:value).uniq
    assert_equal plan.arms(:equal).sort, seen.map(&:arm).uniq.sort
    assert_equal %w[x7k2:equal-control x7k2:equal-candidate], plan.arms(:equal)
  end

  def test_then_each_arm_has_its_value
    seen = (turns.changes_s...turns.ends_s).map { |second| plan.turn(second) }
    assert_equal({"x7k2:control" => 5, "x7k2:candidate" => 3}, seen.to_h { |turn| [turn.arm, turn.value] })
    assert_equal 40, seen.map(&:index).uniq.size
  end

  def test_a_file_is_there_whole_or_not_at_all
    file = Plan::PlanFile.new(folder)
    reader = Plan::PlanFile.new(folder)
    assert_nil reader.read
    refute file.remove
    file.write(plan)
    assert_equal plan, reader.read
    assert_same reader.read, reader.read
    file.write(plan(id: "other"))
    assert_equal "other", reader.read.id
    assert file.remove
    assert_nil reader.read
    assert_empty Dir.children(folder)
  end

  def test_a_damaged_file_is_no_plan
    file = Plan::PlanFile.new(folder)
    File.write(File.join(folder, Plan::PlanFile::NAME), "nonsense")
    assert_raises(Holdup::DamagedData) { file.read }
    assert_nil file.read
    file.write(plan)
    assert_equal plan, file.read
  end
end
