# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::CandidatesChartTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  FixedRecommendation = Data.define(:verdict, :predictions, :now, :best, :amdahl)
  HIT = Sizing::Guards::Violation.new(name: :cpu, value: 3, limit: 2)

  def prediction(processes, threads, guards: [], **candidate)
    one = Sizing::Candidate.new(processes:, threads:, **candidate)
    seen = guards.empty? ? {queued_ns: 1_000.0 * threads, stalled_ns: 500.0,
                            responses: {0.95 => 9_000 + threads}} : {}
    Sizing::Forecast::Prediction.new(candidate: one, ceiling: 10.0 * processes * threads, utilisation: 0.5,
      memory_bytes: nil, connections: nil, guards:, **seen)
  end

  def predictions
    [prediction(1, 5), prediction(1, 3), prediction(2, 3), prediction(2, 5), prediction(3, 5, guards: [HIT]),
      prediction(1, 5, time_slice_ns: 10_000_000)]
  end

  def charts(verdict: :change, predictions: self.predictions)
    recommendation = FixedRecommendation.new(verdict:, predictions:, now: predictions.first.candidate,
      best: predictions[2], amdahl: 4)
    Holdup::Advise::CandidatesChart.new(recommendation, words: Holdup::View::Words.new("en")).call&.charts
  end

  def test_a_line_for_each_number_of_processes
    most = charts.values.first
    assert_equal [3, 5], most.x.values
    assert_equal(
      {"processes: 1" => [30.0, 50.0], "processes: 2" => [60.0, 100.0],
       "processes: 3" => [nil, 150.0]}, most.series.to_h { |line| [line.label, line.values] }
    )
    assert_equal [4], most.marks.map(&:at)
  end

  def test_what_is_what_is_advised_and_what_may_not_be
    assert_equal [[5, 50.0, "* now"], [3, 60.0, "<- advised"], [5, 150.0, nil]],
      charts.values.first.points.map { |point| point.to_h.values }
    assert_equal ["* now"], charts(verdict: :keep).values.first.points.filter_map(&:label)
  end

  # The signs are those of the table of settings.
  def test_titles_state_the_values_of_the_marked_settings
    shown = "Highest throughput per second, by threads of a process"
    assert_equal "#{shown}: * now 50.0, <- advised 60.0", charts.keys.first
    assert_equal "#{shown}: * now 50.0", charts(verdict: :keep).keys.first
    table = Holdup::Advise::AdviceTable
    assert_equal %w[* <-], [table::NOW, table::BEST].map(&:strip)
  end

  def test_what_was_not_replayed_has_no_waits
    assert_equal ["processes: 1", "processes: 2"], charts.values.last.series.map(&:label)
    assert_equal [3_500.0, 5_500.0], charts.values.last.series.first.values
  end

  def test_nothing_is_drawn_where_nothing_can_be_said
    assert_nil charts(verdict: :unknown)
    assert_nil Holdup::Advise::CandidatesChart.new(nil, words: Holdup::View::Words.new("en")).call
  end
end
