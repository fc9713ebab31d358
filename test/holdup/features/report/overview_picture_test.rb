# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::OverviewPictureTest < Minitest::Test
  Picture = Holdup::Report::OverviewPicture
  Gvl = Holdup::Analysis::GvlOverTime
  Party = Holdup::Analysis::StallPairs::Party
  SALES = Party.new(name: "ReportsController#sales", kind: :request)
  SWEEP = Party.new(name: "thread:sweep", kind: :account)

  def sample = @sample ||= SampleWindows.new

  def series(windows = sample.to_a)
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    Holdup::Queries::TimeSeriesQuery.call(store, from_s: sample.from_s, to_s: sample.to_s)
  end

  def gvl(threads: [10, 10, 6])
    waiting = {SALES => [1.0, 6.0, 2.0], SWEEP => [0.5, 2.0, 0.0], Gvl::OTHERS => [0.5, 0.0, 0.0],
               Gvl::NOBODY => [0.1, 0.0, 0.1]}
    held = {SALES => [0.2, 0.8, 0.3], SWEEP => [0.1, 0.1, 0.1], Gvl::OTHERS => [0.0, 0.0, 0.0]}
    Gvl.new(at_s: sample.from_s.step(by: 60).first(3), names: [SALES, SWEEP], waiting:, held:, threads:)
  end

  def picture(gvl = self.gvl, language: "en", **more)
    Picture.new(series, gvl, words: Holdup::View::Words.new(language), **more)
  end

  def test_stacks_who_holds_the_gvl_with_a_colour_for_each_name
    waiting, held = picture.charts.values

    assert_equal %i[stack rate], [waiting.kind, waiting.unit]
    assert_equal ["Reports#sales", "(thread) sweep", "(others)", "nobody (hand-off)"],
      waiting.series.map(&:label)
    assert_equal %i[name-1 name-2 others nobody], waiting.series.map(&:state)
    assert_equal waiting.series.first(3).map(&:state), held.series.map(&:state)
  end

  def test_the_worst_step_has_a_label_and_the_threads_are_the_ceiling
    waiting = picture.charts.fetch("waiting")
    worst = waiting.points.first

    assert_equal [sample.from_s + 60, 8.0], [worst.x, worst.y]
    assert_equal "8.00 wait, 75 % for Reports#sales", worst.label
    assert_equal [[6, "all 6 threads"]], waiting.limits.map { |limit| [limit.at, limit.label] }
  end

  def test_without_a_known_number_of_threads_there_is_no_ceiling
    waiting = picture(gvl(threads: [0, 0, 0])).charts.fetch("waiting")

    assert_empty waiting.limits
    assert_equal "8.00 wait, 75 % for Reports#sales", waiting.points.first.label
  end

  def test_the_gvl_has_its_line_and_its_whole_scale
    held = picture.charts.fetch("held")

    assert_equal 1.0, held.most
    assert_equal [Holdup::Analysis::Thresholds::FULL], held.limits.map(&:at)
  end

  def test_the_title_says_how_many_and_the_peak
    assert_match(/\AThreads that wait for the GVL, by who holds it: 2.10, peak 8.00 at 20\d\d-/,
      picture.titles.fetch("waiting"))
    assert_match(/\AGVL を待つスレッド数/, picture(language: "ja").titles.fetch("waiting"))
  end

  # Absolute: three requests a second look other than three hundred.
  def test_where_nothing_waits_it_shows_threads_by_state
    busy = picture(nil).charts.fetch("busy")

    assert_equal Holdup::Analysis::SeriesRow::StateSplit.members, busy.series.map(&:state)
    walls = sample.to_a.select { |window| window.start_s == sample.from_s }
    seconds = walls.sum { |window| window.histograms[:wall].sum } / 1e9
    assert_in_delta seconds / 60, busy.series.sum { |line| line.values.first }, 0.01
    nothing = Gvl.new(at_s: [], names: [], waiting: {}, held: {}, threads: [])
    assert_equal %w[busy], picture(nothing).charts.keys
  end

  # @param shares [Array<Float>] stalled, of 100 ms, a minute each
  def minutes(*shares)
    windows = shares.each_with_index.flat_map do |share, index|
      units = {"A#b" => {ms: {stalled: 100 * share, io: 100 * (1 - share)}, acquisitions: 3, units: 300,
                         blame: 1}}
      minute = SampleWindows.new(units:, minutes: 1).to_a
      minute.map { |window| window.with(start_s: window.start_s + index * 60) }
    end
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    span = {from_s: sample.from_s, to_s: sample.from_s + shares.size * 60}
    [Holdup::Queries::TimeSeriesQuery.call(store, **span),
      Holdup::Queries::LoadSummary.call(store, **span) { [] }.total]
  end

  def test_stall_that_matters_in_the_whole_span_is_contention
    assert Picture.contended?(*minutes(0.06, 0.06, 0.07))
    refute Picture.contended?(*minutes(0.03, 0.03, 0.02))
  end

  # A minute above 5 % is chance where few requests come.
  def test_one_minute_of_a_calm_span_has_to_show_twice_as_much
    refute Picture.contended?(*minutes(0.02, 0.07, 0.02))
    assert Picture.contended?(*minutes(0.02, 0.12, 0.01, 0.01))
  end

  # A demo of some seconds has parts of two minutes.
  def test_where_no_step_is_whole_its_parts_count
    partial = Struct.new(:shares) { def complete(values) = values.map { nil } }
    calm = minutes(0.01).last

    assert Picture.contended?(partial.new({stalled: [nil, 0.5]}), calm)
    refute Picture.contended?(partial.new({stalled: [0.01, nil]}), calm)
    refute Picture.contended?(partial.new({stalled: []}), calm)
  end

  def test_the_table_has_the_figures_of_all_charts
    table = picture.table(2)

    assert_equal 2, table.rows.size
    assert_equal ["from", "wait for Reports#sales", "wait for (thread) sweep", "wait for (others)",
      "wait for nobody (hand-off)", "GVL Reports#sales", "GVL (thread) sweep", "GVL (others)"],
      table.columns
    assert_equal ["2.00", "0", "0", "0.10", "30 %"], table.rows.first.drop(1).first(5)
  end

  def test_changes_are_marked
    mark = Holdup::View::Chart::Mark.new(at: sample.from_s + 60, label: "threads 5 -> 3")

    waiting, held = picture(marks: [mark]).charts.values
    assert_equal [mark], waiting.marks
    assert_equal [mark.with(label: nil)], held.marks, "the chart above has its name"
  end
end
