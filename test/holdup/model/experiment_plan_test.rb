# frozen_string_literal: true

require "test_helper"
require "holdup/model/experiment_plan"

class Holdup::ExperimentPlanTest < Minitest::Test
  include TemporaryFolder

  Plan = Holdup::ExperimentPlan
  FROM_S = 1_790_000_000

  def plan(**facts)
    Plan.new(id: "x7k2", lever: "threads", values: [5, 3], starts_s: FROM_S, ends_s: FROM_S + 7200,
      same_s: 1200, swap_s: 180, by: "deploy", why: "less stall?", **facts)
  end

  def test_what_is_written_is_read
    one = plan
    assert_equal one, Plan.parse(one.to_s)
    empty = plan(why: "", by: "")
    assert_equal empty, Plan.parse(empty.to_s)
    assert_equal "two lines", Plan.parse(plan(why: "two\nlines").to_s).why
  end

  def test_what_can_not_be_followed_is_refused
    ["", "\0\0", "id x\nvalues 5\n", plan.to_s.sub("values 5 3", "values 5 0"), plan.to_s.sub("180", "x"),
      plan.to_s[0, 40]].each { |text|
      error = assert_raises(Holdup::DamagedData, text) { Plan.parse(text) }
      assert_match(/plan of an experiment/, error.message)
    }
    assert_raises(ArgumentError) { plan(ends_s: FROM_S) }
    assert_raises(ArgumentError) { plan(ends_s: FROM_S + 100_000) }
    assert_raises(ArgumentError) { plan(swap_s: 0) }
  end

  def test_nobody_has_a_turn_before_and_after
    assert_nil plan.block(FROM_S - 1)
    refute_nil plan.block(FROM_S)
    refute_nil plan.block(FROM_S + 7199)
    assert_nil plan.block(FROM_S + 7200)
  end

  def test_at_first_both_arms_are_the_same
    blocks = (0...1200).map { |passed| plan.block(FROM_S + passed) }
    assert_equal [5], blocks.map(&:value).uniq
    assert_equal plan.same_arms, blocks.map(&:arm).uniq.sort
    assert_equal %w[x7k2:same-a x7k2:same-b], plan.same_arms
  end

  # For any name: whatever grows all the time falls on both arms alike, and nobody knows the order before.
  def test_each_pair_of_blocks_has_both_arms_in_a_drawn_order
    firsts = Array.new(50) do |number|
      one = plan(id: "n#{number}", same_s: 0)
      blocks = (0...40).map { |index| one.block(FROM_S + index * 180) }
      blocks.each_slice(2) { |pair| assert_equal one.arms, pair.map(&:arm).sort }
      assert_equal({one.arms[0] => 5, one.arms[1] => 3}, blocks.to_h { |block| [block.arm, block.value] })
      blocks.each_slice(2).map { |pair| pair.first.arm[-1] }
    end
    assert_in_delta 0.5, firsts.flatten.count("b").fdiv(1000), 0.06
    assert_operator firsts.uniq.size, :>, 45
  end

  def test_a_block_lasts_from_one_swap_to_the_next
    one = plan(same_s: 0)
    changes = (1...7200).select { |passed| one.block(FROM_S + passed) != one.block(FROM_S + passed - 1) }
    assert_equal (1...40).map { |index| index * 180 }, changes
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
