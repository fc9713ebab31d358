# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::SwitchbackTest < Minitest::Test
  Switchback = Holdup::Switchback
  Span = Data.define(:start_s, :end_s)
  START_S = SimulatedArms::START_S

  def design(turn_s: 300, **options)
    Switchback.after(START_S - 10, turn_s:, cycles: 40, equal_cycles: 6, **options)
  end

  def test_begins_with_a_whole_cycle
    assert_equal START_S, design.from_s
    assert_raises(ArgumentError) { design.with(from_s: START_S + 60) }
  end

  def test_each_arm_has_one_turn_of_each_cycle
    orders = Array.new(46) do |cycle|
      [0, 300].map { |turn_s| design.arm_at(START_S + cycle * 600 + turn_s + 60) }
    end
    assert_equal [%i[candidate control]], orders.map(&:sort).uniq
    first = orders.each_slice(2).map { |pair| pair.map(&:first) }
    assert_equal [%i[candidate control]], first.map(&:sort).uniq, "of two cycles, one begins with each arm"
    assert_equal 2, first.uniq.size, "the order is drawn"
  end

  def test_the_time_of_change_belongs_to_no_arm
    seconds = (START_S...START_S + 300).map { |second| design(settle_s: 90).arm_at(second) }
    assert_equal [nil], seconds.first(90).uniq
    assert_equal 1, seconds.drop(90).uniq.size
    refute_nil seconds.last
  end

  def test_the_first_phase_has_the_setting_of_the_control_only
    inside = (START_S...design.changes_s).step(60)
    assert_equal [:control], inside.map { |second| design.setting_at(second) }.uniq
    assert_equal %i[candidate control], inside.filter_map { |second| design.arm_at(second) }.uniq.sort
    assert_equal %i[equal different], (START_S...design.ends_s).step(60).map { |at| design.phase_at(at) }.uniq
  end

  def test_nothing_before_and_after
    [START_S - 1, design.ends_s].each do |second|
      assert_nil design.phase_at(second)
      assert_nil design.setting_at(second)
    end
  end

  def test_what_is_ended_early_keeps_its_whole_cycles
    assert_nil design.ended(START_S + 599)
    assert_equal [1, 0], design.ended(START_S + 600).then { |one| [one.equal_cycles, one.cycles] }
    assert_equal [6, 3], design.ended(START_S + 9 * 600 + 1).then { |one| [one.equal_cycles, one.cycles] }
    assert_equal design, design.ended(design.ends_s + 10_000)
    rest = design.ended(START_S + 9 * 600 + 1)
    (START_S...rest.ends_s).step(60) { |second| assert_equal design.turn_at(second), rest.turn_at(second) }
  end

  def test_only_windows_wholly_inside_a_turn_belong_to_its_arm
    minutes = (START_S...design.ends_s).step(60).map { |start_s| Span.new(start_s:, end_s: start_s + 60) }
    control, candidate = design.split(minutes)
    assert_equal [40 * 4, 40 * 4], [control.size, candidate.size]
    assert(candidate.all? { |minute| design.arm_at(minute.start_s) == :candidate })
    long = [Span.new(start_s: design.changes_s + 60, end_s: design.changes_s + 660)]
    assert_equal [[], []], design.split(long)
    assert_equal [24, 24], design.split(minutes, phase: :equal).map(&:size)
  end
end
