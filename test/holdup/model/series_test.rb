# frozen_string_literal: true

require "test_helper"
require "holdup/model/series"

class Holdup::SeriesTest < Minitest::Test
  Series = Holdup::Series

  def test_equal_facts_are_one_key
    assert_equal 1,
      {Series.new(kind: :job, name: +"A",
        queue: +"low") => 1}[Series.new(kind: :job, name: "A", queue: "low")]
    refute_equal Series.new(kind: :job, name: "A"), Series.new(kind: :request, name: "A")
  end

  def test_queue_is_optional
    assert_nil Series.new(kind: :request, name: "A").queue
  end

  def test_only_requests_jobs_and_the_overflow_count_units
    assert_equal %i[request job overflow], Series::KINDS.select { |kind| Series.new(kind:, name: "A").unit? }
  end

  def test_pool_and_priority_are_views_of_the_same_units
    job = Series.new(kind: :job, name: "A", queue: "low", pool: "default", priority: "5")
    assert_equal Series.new(kind: :job, name: "A", queue: "low"), job.plain
    pool = Series.new(kind: :pool, name: "default", queue: "low")
    priority = Series.new(kind: :priority, name: "5", queue: "low")
    assert_equal [pool, priority], job.views
    assert job.views.all?(&:view?)
    refute_predicate job, :view?
    assert_empty job.plain.views
  end

  def test_an_unknown_kind_is_refused
    assert_match(/request, job/, assert_raises(ArgumentError) { Series.new(kind: :cron, name: "A") }.message)
  end
end
