# frozen_string_literal: true

require "test_helper"
require "support/learned"

module Holdup::Advise::Sizing
  class TrackRecordTest < Minitest::Test
    # Measured against predicted.
    def outcomes(*ratios, **rest)
      ratios.map.with_index do |ratio, at|
        figures = %i[response p95 wait].to_h { |name| [name, Learned.figure(ratio)] }
        Learned.outcome(figures:, at_s: at, **rest)
      end
    end

    def record(outcomes, **options) = TrackRecord.new(outcomes, kind: :request, **options)

    def test_without_an_outcome_there_is_no_figure
      found = record([])
      assert_predicate found, :none?
      assert_empty found.figures
      assert_nil found.main
    end

    def test_the_median_of_an_odd_and_an_even_number
      assert_in_delta 0.25, record(outcomes(1.0, 0.8, 0.5)).main.median_error, 1e-9
      assert_in_delta (0.25 + 1.0) / 2, record(outcomes(1.0, 0.8, 0.5, 0.5)).main.median_error, 1e-9
    end

    def test_an_error_counts_without_its_sign
      assert_in_delta 0.2, record(outcomes(1.25)).main.median_error, 1e-9
    end

    def test_how_many_were_at_most_a_tenth_off
      found = record(outcomes(1.0, 1.05, 0.95, 1.2)).main
      assert_in_delta 0.75, found.close, 1e-9
      assert_equal 3, found.close_ones
    end

    def test_how_many_measurements_were_inside_their_interval
      figures = [[90, 110], [90, 99], nil].map do |expected|
        {p95: Learned.figure(1.0, ns: 100, expected:)}
      end
      found = record(figures.map { |figure| Learned.outcome(figures: figure) }).main
      assert_equal [3, 2, 1], [found.predictions, found.intervals, found.inside]
      assert_in_delta 0.5, found.inside_share, 1e-9
      assert_nil record(outcomes(1.0)).main.inside_share, "none was kept"
    end

    def test_each_figure_that_any_outcome_has
      assert_equal %i[response p95 wait], record(outcomes(1.0)).figures.map(&:name)
      assert_equal %i[p95], record([Learned.outcome]).figures.map(&:name)
    end

    def test_the_latest_is_first
      assert_equal [1, 0], record(outcomes(1.0, 1.0)).outcomes.map(&:at_s)
    end

    def test_outcomes_of_few_units_do_not_count
      assert_predicate record(outcomes(1.0, units: 399)), :none?
      refute_predicate record(outcomes(1.0, units: 400)), :none?
    end

    def test_of_this_kind_and_application
      all = outcomes(1.0) + outcomes(1.1, app: "shop") + outcomes(1.2, kind: :job)
      assert_equal 2, record(all).outcomes.size
      assert_equal ["shop"], record(all, app: "shop").outcomes.map(&:app)
      assert_equal 1, TrackRecord.new(all, kind: :job).outcomes.size
    end
  end
end
