# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::StallPerUnitTest < Minitest::Test
  START_S = SampleWindows::START_S / 60 * 60
  Minutes = Data.define do
    def number(start_s) = start_s / 60
  end
  METRIC = Holdup::Compare::Comparison::Metric::ALL.fetch(:stalled_mean)

  def sample = @sample ||= SampleWindows.new

  # @param counts [Array<Integer>] requests of A#a in each minute
  # @param parts [Hash{String => Array<Integer>}] ns of each place in each minute
  def side(counts, parts)
    units = counts.each_with_index.map do |count, at|
      sample.window("A#a", start_s: START_S + at * 60, count:)
    end
    windows = parts.flat_map do |place, times|
      times.each_with_index.map do |caused_ns, at|
        sample.window("A#a", kind: :method, queue: place, start_s: START_S + at * 60, sums: {caused_ns:})
      end
    end
    numbers = Array.new(counts.size) { |at| START_S / 60 + at }
    Holdup::Compare::StallPerUnit.new(units, windows, figure: :caused_ns, blocks: Minutes.new,
      numbers:) { |window| [window.series.name, window.series.queue] }
  end

  KEY = ["A#a", "rows"].freeze

  def test_stall_of_a_part_for_each_request
    assert_in_delta 20.0, side([1, 4], {"rows" => [60, 40]}).each_ns(KEY)
  end

  def test_a_block_counts_as_often_as_it_was_drawn
    one = side([1, 4], {"rows" => [60, 40]})
    assert_in_delta 60.0, one.each_ns(KEY, [2, 0])
    assert_in_delta 10.0, one.each_ns(KEY, [0, 2])
    assert_nil side([0, 4], {"rows" => [0, 40]}).each_ns(KEY, [2, 0]), "no request ran in that block"
  end

  def test_a_part_that_one_side_lacks_is_none_there
    assert_in_delta 0.0, side([1, 1], {}).each_ns(KEY)
    assert_empty side([1, 1], {}).windows(KEY)
    assert_equal 100, side([1, 1], {"rows" => [60, 40]}).sum_ns(KEY)
  end

  def test_the_largest_parts_of_both_sides_together
    before = side([1, 1], {"rows" => [60, 40], "draw" => [5, 5]})
    after = side([1, 1], {"draw" => [200, 0], "load" => [1, 1]})
    keys = Holdup::Compare::StallPerUnit.largest([before, after], 2)
    assert_equal [["A#a", "draw"], KEY], keys
  end

  def test_leaves_out_names_that_did_not_run_on_both_sides
    assert_empty Holdup::Compare::StallPerUnit.largest([side([1], {"rows" => [9]}), side([0], {})], 5)
  end

  def test_estimates_have_the_deviation_between_blocks_wider_where_blocks_depend
    sides = [side([1] * 4, {"rows" => [90, 110, 95, 105]}), side([1] * 4, {"rows" => [180, 220, 190, 210]})]
    plain, wider = [1.0, 2.0].map { |widening| estimate(sides, widening:) }
    assert_in_delta 100, plain.before
    assert_in_delta 200, plain.after
    assert_operator plain.deviation, :>, 0
    assert_in_delta 2, wider.deviation / plain.deviation, 1e-9
  end

  def test_without_a_mean_in_each_draw_an_estimate_has_no_deviation
    sides = [side([1, 0, 0, 0], {"rows" => [90, 0, 0, 0]}), side([1] * 4, {"rows" => [9] * 4})]
    assert_nil estimate(sides).deviation
    assert_in_delta 90, estimate(sides).before
  end

  def estimate(sides, widening: 1.0)
    bootstrap = Holdup::Compare::BlockBootstrap.new(4, 4, paired: false)
    Holdup::Compare::StallPerUnit.estimates(sides, [KEY], metric: METRIC, bootstrap:, widening:).first
  end
end
