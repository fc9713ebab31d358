# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SettingDifferencesTest < Minitest::Test
  BASE = {"ruby" => "3.3.8", "ruby_patch" => 144, "threads" => 5}.freeze

  def setting(**facts) = Holdup::Setting.new(attributes: {**BASE, **facts.transform_keys(&:to_s)}.compact)

  def differences(before, after) = Holdup::Analysis::SettingDifferences.new([*before], [*after])

  def test_facts_that_only_change_together_are_one_subject
    found = differences(setting, setting(ruby: "3.4.5", ruby_patch: 51))
    assert_equal ["ruby"], found.differences.map(&:subject)
    assert_equal "ruby 3.3.8 -> 3.4.5, ruby_patch 144 -> 51", found.differences.first.to_s
    assert_predicate found, :single?
  end

  def test_other_facts_are_subjects_of_their_own
    found = differences(setting, setting(threads: 3, ruby: "3.4.5"))
    assert_equal %w[ruby threads], found.differences.map(&:subject)
    refute_predicate found, :single?
  end

  def test_the_pool_that_follows_the_threads_is_no_subject_of_its_own
    found = differences(setting(min_threads: 5, db_pool: 5), setting(threads: 3, min_threads: 3, db_pool: 3))
    assert_equal [%w[threads], true], [found.differences.map(&:subject), found.single?]
    assert_equal "db_pool 5 -> 3, min_threads 5 -> 3, threads 5 -> 3", found.differences.first.to_s
  end

  def test_a_pool_of_another_size_is_one
    apart = differences(setting(db_pool: 9), setting(threads: 3, db_pool: 5))
    assert_equal %w[db_pool threads], apart.differences.map(&:subject)
    alone = differences(setting(min_threads: 5, "db_pool.reports": 5),
      setting(min_threads: 1, "db_pool.reports": 3))
    assert_equal %w[db_pool.reports min_threads], alone.differences.map(&:subject)
  end

  def test_a_fact_that_one_side_lacks_differs
    found = differences(setting, setting(malloc: "jemalloc", threads: nil)).differences
    assert_equal ["malloc - -> jemalloc", "threads 5 -> -"], found.map(&:to_s)
    assert_equal "allocator", found.first.subject
  end

  def test_names_all_values_of_a_side_in_their_order
    found = differences([setting(threads: 5), setting(threads: 3)], setting(threads: 8))
    assert_equal "threads 3/5 -> 8", found.differences.first.to_s
    assert_predicate found, :mixed?
    refute_predicate found, :single?, "the side itself has two settings"
  end

  def test_equal_settings_do_not_differ
    found = differences(setting, setting)
    assert_predicate found, :none?
    refute_predicate found, :single?
    refute_predicate found, :mixed?
  end

  # It names an arm of an experiment.
  def test_the_label_of_a_setting_is_no_difference
    found = differences(setting, setting(Holdup::Setting::LABEL => "canary"))
    assert_predicate found, :none?
    refute_predicate differences([setting, setting(Holdup::Setting::LABEL => "canary")], setting), :mixed?
  end

  def test_facts_that_all_settings_share
    found = differences([setting, setting(threads: 3)], setting(ruby: "3.4.5"))
    assert_equal({"ruby_patch" => 144}, found.shared)
    assert_equal BASE, differences(setting, setting).shared
  end
end
