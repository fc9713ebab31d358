# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SettingDifferencesTest < Minitest::Test
  def differences(before, after)
    sides = [before, after].map { |facts| [Holdup::Setting.new(facts.transform_keys(&:to_s))] }
    Holdup::Analysis::SettingDifferences.new(*sides)
  end

  def subjects(before, after)
    differences(before, after).differences.to_h { |one| [one.subject, one.facts.keys] }
  end

  def test_what_only_changes_together_is_one_subject
    assert_equal({"ruby" => %w[ruby ruby_patch]},
      subjects({ruby: "3.3.8", ruby_patch: 144, jit: "yjit"}, {ruby: "3.4.5", ruby_patch: 51, jit: "yjit"}))
  end

  def test_the_pool_that_follows_the_threads_is_no_subject_of_its_own
    found = differences({threads: 5, min_threads: 5, db_pool: 5, workers: 2},
      {threads: 3, min_threads: 3, db_pool: 3, workers: 2})
    assert_equal [%w[threads], true], [found.differences.map(&:subject), found.single?]
    assert_equal "db_pool 5 -> 3, min_threads 5 -> 3, threads 5 -> 3", found.differences.first.to_s
  end

  def test_a_pool_of_another_size_is_one
    assert_equal({"threads" => %w[min_threads threads], "db_pool" => %w[db_pool]},
      subjects({threads: 5, min_threads: 5, db_pool: 9}, {threads: 3, min_threads: 3, db_pool: 5}))
    assert_equal({"min_threads" => %w[min_threads]},
      subjects({threads: 5, min_threads: 5}, {threads: 5, min_threads: 1}))
    assert_equal({"db_pool.reports" => %w[db_pool.reports]},
      subjects({threads: 5, "db_pool.reports": 5}, {threads: 5, "db_pool.reports": 3}))
  end

  def test_two_subjects_have_no_known_cause
    refute_predicate differences({threads: 5, workers: 2}, {threads: 3, workers: 4}), :single?
  end
end
