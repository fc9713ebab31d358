# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Sql::PairSumsTest < Minitest::Test
  PairSums = Holdup::Store::Sql::PairSums
  SERIES = {
    3 => Holdup::Series.new(kind: :pair, name: "A", queue: "B"),
    5 => Holdup::Series.new(kind: :pair, name: "C", queue: "B"),
    6 => Holdup::Series.new(kind: :lock_pair, name: "A", queue: "B")
  }.freeze

  def sums(blocks, step_s: nil, series: SERIES, &group)
    sums = PairSums.new(series, step_s:, &group)
    blocks.each { |start_s, numbers, host_id| sums.add({start_s:, setting_id: 1, host_id:}, numbers) }
    [].tap { |all| sums.each { |sum| all << sum } }
  end

  def test_pairs_of_one_group_and_column_are_added_up
    found = sums([[60, [3, 10, 4, 99, 5, 7], 1], [120, [5, 1, 6, 2], 1]]) { nil }

    assert_equal [[:stalled, 18, 3, 60, 120], [:lock_ns, 2, 1, 120, 120]],
      found.map { |sum| [sum.column, sum.ns, sum.windows, sum.first_s, sum.last_s] }
  end

  def test_groups_steps_and_hosts_stay_apart
    found = sums([[60, [3, 1, 5, 2], 1], [60, [3, 4], 2], [120, [3, 8], 1]], step_s: 60) { |id| id }

    assert_equal [[3, 1, 1], [5, 1, 2], [3, 2, 4], [3, 1, 8]],
      found.map { |sum| [sum.group, sum.host_id, sum.ns] }
  end

  def test_pairs_that_are_not_wanted_are_left_out
    assert_empty sums([[60, [3, 1, 900, 2], 1]], series: SERIES.slice(6)) { nil }
  end
end
