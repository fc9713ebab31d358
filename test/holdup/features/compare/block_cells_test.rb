# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::Comparison
  class BlockCellsTest < Minitest::Test
    # A multiple of the blocks' lengths.
    START_S = 497_222 * 3600
    MS = 1_000_000
    NS = 1_000_000_000
    RecordedSide = Data.define(:windows, :other_windows, :unit_samples, :coverage) do
      def initialize(windows:, other_windows: [], unit_samples: [], coverage: nil)
        super
      end
    end
    FixedBlocks = Data.define(:length_s) do
      def number(start_s) = start_s / length_s
    end
    Strata = Holdup::Compare::BlockCells::Strata
    SAMPLE = SampleWindows.new

    def test_sums_of_an_endpoint_in_the_order_of_its_names
      resampled = resampled(RecordedSide.new(windows: [window("A#b", count: 4, errors: 1, wall: 40, queued: 8,
        stalled: 4, cpu: 20, native: 4, gc: 2)]))
      assert_equal({"A#b" => 4}, by_name(resampled.counts))
      {wall: 10.0, queued: 2.0, stalled: 1.0, cpu: 6.0, gc: 0.5}.each do |name, ms|
        assert_in_delta ms * MS, by_name(resampled.means(name)).fetch("A#b"), 1, name.to_s
      end
      assert_in_delta 0.25, by_name(resampled.means(:errors)).fetch("A#b")
    end

    def test_waiting_for_connections_per_unit
      sums = {pool_wait_ns: 12 * MS}
      waiting = window("A#b", count: 4, wall: 40)
      side = RecordedSide.new(windows: [waiting.with(sums: waiting.sums.merge(sums))])
      assert_in_delta 3 * MS, figures(side).fetch(:pool_wait), 1
    end

    def test_figures_of_a_single_endpoint
      side = RecordedSide.new(windows: [window("A#b", count: 4, errors: 1, wall: 40, queued: 8, stalled: 4,
        cpu: 20, native: 4, gc: 2)])
      figures = figures(side)
      {wall_mean: 10.0, wait_mean: 3.0, stalled_mean: 1.0, cpu_unit: 6.0, gc_unit: 0.5}.each do |name, ms|
        assert_in_delta ms * MS, figures.fetch(name), 1, name.to_s
      end
      assert_in_delta 0.25, figures.fetch(:errors)
      assert_in_delta 4 / 60.0, figures.fetch(:throughput)
    end

    def test_a_block_counts_as_often_as_it_was_drawn
      side = RecordedSide.new(windows: [window("A#b", count: 1, wall: 10),
        window("A#b", minute: 1, count: 3, wall: 90)])
      assert_in_delta 25 * MS, figures(side).fetch(:wall_mean), 1
      assert_in_delta 10 * MS, figures(side, times: [2, 0]).fetch(:wall_mean), 1
      assert_in_delta 30 * MS, figures(side, times: [0, 1]).fetch(:wall_mean), 1
      assert_in_delta 110 * MS / 5.0, figures(side, times: [2, 1]).fetch(:wall_mean), 1
      assert_equal({"A#b" => 5}, by_name(resampled(side, times: [2, 1]).counts))
    end

    def test_an_endpoint_without_units_in_a_draw_has_no_mean
      side = RecordedSide.new(windows: [window("A#b", count: 1, wall: 10),
        window("B#c", minute: 1, count: 1, wall: 90)])
      drawn = resampled(side, times: [1, 0])
      assert_equal ["A#b"], by_name(drawn.means(:wall)).keys
      assert_in_delta 10 * MS, drawn.figures(drawn.units).fetch(:wall_mean), 1
    end

    def test_endpoints_weigh_as_much_as_in_the_given_mix
      windows = [window("A#b", count: 1, wall: 10), window("B#c", count: 9, wall: 900)]
      side = RecordedSide.new(windows:)
      resampled = resampled(side)
      mix = resampled.units.map { 5 }
      assert_in_delta 55 * MS, resampled.figures(mix).fetch(:wall_mean), 1
      only = resampled.counts.keys.map { |series| (series.name == "A#b") ? 2 : 0 }
      assert_in_delta 10 * MS, resampled.figures(only).fetch(:wall_mean), 1
    end

    def test_blocks_that_are_not_listed_do_not_count
      side = RecordedSide.new(windows: [window("A#b", count: 1, wall: 10),
        window("A#b", minute: 1, count: 1, wall: 90)])
      assert_in_delta 90 * MS, figures(side, minutes: [1]).fetch(:wall_mean), 1
      assert_in_delta 1 / 60.0, figures(side, minutes: [1]).fetch(:throughput)
    end

    def test_throughput_is_of_all_endpoints_over_each_minute_once
      other = [window("A#b", count: 1, wall: 10)]
      side = RecordedSide.new(windows: [*other, window("B#c", count: 29, wall: 10),
        window("B#c", minute: 1, count: 30, wall: 10)])
      figures = figures(side, strata: Strata.new(side.windows, other))
      assert_in_delta 0.5, figures.fetch(:throughput)
    end

    def test_throughput_is_over_the_measured_time_where_that_is_known
      coverage = Holdup::Analysis::MeasuredTime.whole(START_S + 30, START_S + 60, exact: true)
      side = RecordedSide.new(windows: [window("A#b", count: 30, wall: 10)], coverage:)
      assert_in_delta 1.0, figures(side).fetch(:throughput)
    end

    def test_nothing_drawn_has_no_rate
      side = RecordedSide.new(windows: [window("A#b", count: 30, wall: 10)])
      drawn = figures(side, times: [0])
      assert_nil drawn.fetch(:throughput)
      assert_nil drawn.fetch(:cpu_process)
    end

    def test_the_cpu_of_processes_has_all_that_they_did_and_nested_units_once
      own = window("A#b", count: 2, wall: 10, cpu: 10)
      others = [
        window("main", kind: :account, cpu: 6),
        window("Mail", kind: :job, count: 1, cpu: 5, native: 1),
        window("(nested)", kind: :nested, count: 1, cpu: 2)
      ]
      figures = figures(RecordedSide.new(windows: [own], other_windows: others))
      assert_in_delta (10 + 6 + 6 - 2) / 2.0 * MS, figures.fetch(:cpu_process), 1
      assert_in_delta 5 * MS, figures.fetch(:cpu_unit), 1
    end

    def test_percentiles_are_those_of_the_values
      values = (1..200).map { |ms| ms * MS }
      side = RecordedSide.new(windows: [window("A#b", count: 200, wall: values)])
      figures = figures(side, percentiles: %i[wall])
      {wall_p50: 100, wall_p90: 180, wall_p99: 198}.each do |name, ms|
        assert_in_epsilon ms * MS, figures.fetch(name), 0.045, name.to_s
      end
      refute figures.key?(:stalled_p50)
    end

    def test_waits_come_from_single_units_by_their_weight
      unit_samples = [[1, 19.0], [100, 1.0]].map do |ms, weight|
        ExampleUnits.unit_sample(name: "A#b", start_ns: START_S * NS, stalled_ns: ms * MS, queued_ns: nil,
          weight:)
      end
      side = RecordedSide.new(windows: [window("A#b", count: 10, wall: 10)], unit_samples:)
      figures = figures(side, percentiles: %i[wait])
      assert_in_epsilon MS, figures.fetch(:wait_p90), 0.045
      assert_in_epsilon 100 * MS, figures.fetch(:wait_p99), 0.045
    end

    def test_a_block_without_unit_samples_has_no_waits
      side = RecordedSide.new(windows: [window("A#b", count: 10, wall: 10)])
      assert_nil figures(side, percentiles: %i[wait]).fetch(:wait_p50)
    end

    # Whatever the length of the blocks, each once is the whole recording.
    def test_all_blocks_once_are_the_whole
      random = Random.new(4)
      windows = 6.times.flat_map do |minute|
        %w[A#b B#c C#d].map do |name|
          wall, stalled = Array.new(2) { Array.new(20) { random.rand(1..900) * MS } }
          window(name, minute:, count: 20, errors: random.rand(3), wall:, stalled:, cpu: random.rand(90),
            gc: random.rand(9))
        end
      end
      side = RecordedSide.new(windows:)
      short, long = [60, 360].map do |length_s|
        figures(side, length_s:, minutes: (0...6).step(length_s / 60), percentiles: %i[wall stalled])
      end
      short.each { |name, figure| assert_in_epsilon long.fetch(name), figure, 1e-9, name.to_s }
    end

    class StrataTest < Minitest::Test
      def test_common_endpoints_have_a_cell_of_their_own
        strata = Strata.new([window("A#b"), window("B#c")], [window("B#c"), window("C#d")])
        assert_equal ["B#c"], strata.to_a.map(&:name)
        assert_equal window("B#c").series, strata.of(window("B#c").series)
        assert_nil strata.of(window("A#b").series)
      end

      def test_equal_names_of_another_kind_are_another_endpoint
        strata = Strata.new([window("Mail")], [window("Mail", kind: :job)])
        assert_empty strata.to_a
      end

      def test_share_of_units_that_the_other_side_lacks
        strata = Strata.new([window("A#b", count: 1), window("B#c", count: 3)], [window("B#c", count: 9)])
        assert_equal [0.25, 0.0], strata.left_out
      end

      def test_a_side_without_units_lacks_none
        assert_equal [0.0, 1.0], Strata.new([], [window("A#b", count: 2)]).left_out
      end

      def test_endpoints_up_to_the_limit_have_a_cell_of_their_own
        windows = Array.new(Strata::MOST) { |index| window("A#b#{index}") }
        assert_equal windows.map(&:series), Strata.new(windows, windows).to_a
      end

      def test_beyond_that_those_with_least_time_are_one_stratum
        windows = Array.new(Strata::MOST + 2) { |index| window("A#b#{index}", wall_ms: index + 1) }
        strata = Strata.new(windows, windows)
        assert_equal Strata::MOST + 1, strata.to_a.size
        assert_equal [Strata::OTHERS] * 2, windows.first(2).map { |window| strata.of(window.series) }
        assert_equal windows.last.series, strata.of(windows.last.series)
        assert_equal [0.0, 0.0], strata.left_out
      end

      def test_sizes_an_endpoint_by_the_time_of_both_sides
        before = Array.new(Strata::MOST + 1) { |index| window("A#b#{index}", wall_ms: index + 1) }
        after = before.map { |window| window("A#b0", wall_ms: 900) if window.series.name == "A#b0" }
        strata = Strata.new(before, before.zip(after).map { |window, slower| slower || window })
        assert_equal "A#b0", strata.of(before.first.series).name
        assert_equal Strata::OTHERS, strata.of(before[1].series)
      end

      private

      def window(name, kind: :request, count: 1, wall_ms: 1)
        SAMPLE.window(name, kind:, count:, histograms: {wall: Holdup::Histogram.of_sum(wall_ms * MS)})
      end
    end

    private

    # Numbers in ms; an Array has the values themselves, in ns.
    def window(name, kind: :request, minute: 0, count: 0, errors: 0, wall: 0, queued: 0, stalled: 0, cpu: 0,
      native: 0, gc: 0)
      histograms = {wall:, queued:, stalled:}.transform_values do |of|
        of.is_a?(Array) ? Holdup::Histogram.of(of) : Holdup::Histogram.of_sum(of * MS)
      end
      SAMPLE.window(name, kind:, start_s: START_S + minute * 60, count:, errors:, histograms:,
        sums: {cpu_ns: cpu * MS, native_ns: native * MS, gc_ns: gc * MS})
    end

    def resampled(side, times: nil, minutes: nil, length_s: 60,
      strata: Strata.new(side.windows, side.windows))
      minutes ||= side.windows.map { |window| (window.start_s - START_S) / 60 }.uniq
      blocks = FixedBlocks.new(length_s:)
      numbers = minutes.map { |minute| blocks.number(START_S + minute * 60) }
      cells = Holdup::Compare::BlockCells.new(side, strata:, blocks:, numbers:)
      Holdup::Compare::BlockCells::ResampledSide.new(cells, times || Array.new(numbers.size, 1))
    end

    def figures(side, percentiles: [], **)
      resampled = resampled(side, **)
      resampled.figures(resampled.units, percentiles:)
    end

    def by_name(by_series) = by_series.transform_keys(&:name)
  end
end
