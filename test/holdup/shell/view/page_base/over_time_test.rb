# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# By the page of the overview, which has all of it.
class Holdup::View::OverTimeTest < Minitest::Test
  Blocks = Holdup::View::Blocks

  def sample = @sample ||= SampleWindows.new

  def page(windows = sample.to_a, **params)
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    query = Holdup::Web::PageQuery.new(params.transform_keys(&:to_s), now_s: sample.to_s)
    Holdup::Report::OverviewPage.new(context: nil, store:, query:, words: Holdup::View::Words.new)
  end

  def block(kind, ...) = Blocks.flat(page(...).blocks).grep(kind).first

  def test_the_states_add_up_to_the_whole
    rows = block(Blocks::Split).rows

    assert_equal Holdup::Analysis::SeriesRow::StateSplit.members, rows.map(&:state)
    assert_in_delta 100, rows.sum { |row| row.share.to_f }, 0.05 * rows.size
    rows.each { |row| refute_empty row.meaning, row.state }
  end

  def test_the_states_have_a_cell_for_each_column
    plain = block(Blocks::Split).plain

    assert_equal [plain.columns.size], plain.rows.map(&:size).uniq
  end

  def test_each_is_the_sum_by_the_units
    histogram = Holdup::Histogram.of([10_000_000] * 50)
    one = sample.window("A", count: 50, sums: {cpu_ns: 500_000_000},
      histograms: {wall: histogram, running: histogram})
    cpu = block(Blocks::Split, [one]).rows.first

    assert_equal "100 %", cpu.share
    assert_equal "10.0 ms", cpu.each
    assert_equal "500 ms", cpu.sum
  end

  # The table is for readers without scripts: it has the figures of the charts.
  def test_each_chart_has_a_title_and_data_of_the_same_name
    found = page
    blocks = Blocks.flat(found.blocks).grep(Blocks::FetchedCharts)

    assert_equal found.charts.keys, blocks.flat_map { |block| block.names.keys }
    blocks.each { |block| refute_empty block.twin.rows }
    found.charts.each_value { |chart| assert_equal 3, chart.x.values.size }
  end

  def test_the_gvl_is_charted_where_processes_were_recorded
    process = sample.window("worker 0", kind: :process, queue: nil, count: 1)

    refute_includes page.charts.keys, "gvl"
    assert_includes page([*sample.to_a, process]).charts.keys, "gvl"
  end

  # A deployment explains a step in the curves.
  def test_a_change_of_the_setting_is_marked
    later = SampleWindows::SETTING.merge("revision" => "2")
    deployed = SampleWindows.new(setting: later, minutes: 1).to_a.map do |window|
      window.with(start_s: window.start_s + 120)
    end
    marks = page([*sample.to_a.select { |one| one.start_s < sample.from_s + 120 }, *deployed]).charts
      .values.map { |chart| chart.marks.size }

    assert_equal [1], marks.uniq
    assert_equal [0], page.charts.values.map { |chart| chart.marks.size }.uniq
  end

  def test_the_charts_are_of_the_chosen_units
    counts = [{}, {name: "Orders*"}, {name: "OrdersController#index"}].map do |params|
      page(**params).charts.fetch("rate").series.sum { |line| line.values.sum }
    end

    assert_operator counts[1], :<, counts[0]
    assert_in_delta 100.0 / 60 * 3, counts[2], 1e-9
    assert_equal counts[1], counts[2]
  end

  def test_nothing_recorded_has_no_charts
    assert_empty Blocks.flat(page([]).blocks).grep(Blocks::FetchedCharts)
    assert_empty Blocks.flat(page(name: "Nowhere").blocks).grep(Blocks::FetchedCharts)
  end
end
