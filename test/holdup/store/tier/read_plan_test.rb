# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::ReadPlanTest < Minitest::Test
  DAY = 86_400

  def test_the_coarsest_windows_fill_the_middle_and_finer_ones_the_ends
    plan = plan(rolled: {300 => 10 * DAY, 3600 => 10 * DAY, DAY => 10 * DAY})

    expected = [
      [60, DAY - 420, DAY - 300], [300, DAY - 300, DAY], [DAY, DAY, 3 * DAY],
      [3600, 3 * DAY, 3 * DAY + 3600], [60, 3 * DAY + 3600, 3 * DAY + 3660]
    ]
    assert_equal expected, ranges(plan, DAY - 420, 3 * DAY + 3660)
  end

  def test_what_is_not_rolled_up_yet_is_read_finer
    assert_equal [[300, 0, 600], [60, 600, 900]], ranges(plan(rolled: {300 => 600}), 0, 900)
    assert_equal [[60, 0, 900]], ranges(plan, 0, 900)
  end

  def test_a_chart_gets_no_longer_windows_than_it_asked_for
    rolled = {300 => 10 * DAY, 3600 => 10 * DAY, DAY => 10 * DAY}

    assert_equal [[300, 0, DAY]], ranges(plan(rolled:), 0, DAY, seconds: 300)
    assert_equal [[300, 0, DAY]], ranges(plan(rolled:), 0, DAY, seconds: 900)
    assert_equal [[60, 0, DAY]], ranges(plan(rolled:), 0, DAY, seconds: 1)
  end

  def test_where_short_windows_were_pruned_the_next_longer_answer
    plan = plan(rolled: {300 => 9000, 3600 => 7200}, kept: {60 => 7200, 300 => 3600})

    assert_equal [[3600, 0, 3600], [300, 3600, 7200], [60, 7200, 7260]],
      ranges(plan, 60, 7260, seconds: 60)
    assert_equal [[3600, 0, 3600]], ranges(plan, 100, 200)
  end

  def test_every_second_of_any_span_is_read_once_whatever_was_rolled_up_and_pruned
    random = Random.new(11)
    2_000.times do
      plan = plan(**random_state(random))
      from, to = Array.new(2) { random.rand(0..5 * 1440) * 60 }.sort
      found = ranges(plan, from, to, seconds: [nil, 60, 300, 3600].sample(random:))

      assert_equal found, found.sort_by { |_, start, _| start }
      found.each_cons(2) { |(_, _, last), (_, first, _)| assert_equal last, first }
      assert_operator found.first[1], :<=, from if from < to
      assert_operator found.last[2], :>=, to if from < to
      found.each { |seconds, start, _| assert_equal 0, start % seconds }
    end
  end

  private

  def ranges(plan, from_s, to_s, **options)
    plan.ranges(from_s, to_s, **options).map { |range| [range.seconds, range.from_s, range.to_s] }
  end

  def plan(rolled: {}, kept: {})
    tiers = Holdup::Store::Tier.fresh.map do |tier|
      tier.with(rolled_to_s: rolled.fetch(tier.seconds, 0), kept_from_s: kept.fetch(tier.seconds, 0))
    end
    Holdup::Store::Tier::ReadPlan.new(tiers)
  end

  # As roll-up and prune leave it: a tier is complete up to a multiple of its length and no further than the
  # finer one; a tier is pruned on a boundary of the coarser one and no further than that is complete.
  def random_state(random)
    upto = 5 * DAY
    rolled = [300, 3600, DAY].to_h { |seconds| [seconds, upto = random.rand(0..upto) / seconds * seconds] }
    least = 5 * DAY
    kept = {60 => 300, 300 => 3600, 3600 => DAY}.to_h do |fine, coarse|
      least = random.rand(0..[rolled[coarse], least].min) / coarse * coarse
      [fine, least]
    end
    {rolled:, kept:}
  end
end
