# frozen_string_literal: true

require "test_helper"
require "holdup/model/series"
require "holdup/loader"

class Holdup::Store::SeriesFilterTest < Minitest::Test
  JOB = Holdup::Series.new(kind: :job, name: "Admin::ReportJob", queue: "low")
  REQUEST = Holdup::Series.new(kind: :request, name: "GET /orders/:id")

  def test_nothing_asked_for_is_everything
    assert_predicate Holdup::Store::SeriesFilter.new, :all?
    assert Holdup::Store::SeriesFilter.new.match?(JOB)
  end

  def test_a_star_matches_slashes_and_colons
    assert match?(JOB, names: "Admin*")
    assert match?(REQUEST, names: "GET *")
    refute match?(REQUEST, names: "GET")
  end

  def test_one_of_several_is_enough_and_kinds_may_be_strings
    assert match?(JOB, names: %w[A* B*], kinds: "job")
    refute match?(REQUEST, names: "*", kinds: [:job])
  end

  def test_without_a_queue_no_queue_matches
    assert match?(JOB, queues: "l*")
    refute match?(REQUEST, queues: "*")
  end

  private

  def match?(series, **options)
    Holdup::Store::SeriesFilter.new(**options).match?(series)
  end
end
