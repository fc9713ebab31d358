# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/setting"

class Holdup::Analysis::SettingChangesTest < Minitest::Test
  def setting(**facts)
    Holdup::Setting.new(attributes: {"server" => "puma", "revision" => "aaa",
                                     "threads" => 5}.merge(facts.transform_keys(&:to_s)))
  end

  def seen(setting, *minutes)
    minutes.map { |minute| Holdup::Analysis::SettingChanges::FirstSeen.new(at_s: minute * 60, setting:) }
  end

  def marks(*setting_starts)
    Holdup::Analysis::SettingChanges.new(setting_starts.flatten.shuffle(random: Random.new(1))).to_a
  end

  def changes_of(*setting_starts)
    marks(*setting_starts).map { |mark| [mark.at_s / 60, mark.differences.join(", ")] }
  end

  def test_a_deployment_and_another_number_of_threads
    found = marks(seen(setting, *0..20), seen(setting(revision: "bbb"), *18..40),
      seen(setting(revision: "bbb", threads: 3), *41..50))
    assert_equal [[18, "revision aaa -> bbb", true], [41, "threads 5 -> 3", false]],
      found.map { |mark| [mark.at_s / 60, mark.differences.join(", "), mark.deployed?] }
    assert_equal ["puma"], found.map(&:server).uniq
  end

  def test_back_again
    assert_equal [[20, "threads 5 -> 3"], [40, "threads 3 -> 5"]],
      changes_of(seen(setting, *0..19, *40..60), seen(setting(threads: 3), *20..39))
  end

  def test_nothing_changed
    assert_empty changes_of(seen(setting, *0..20))
    assert_empty changes_of(seen(setting, 0, 1, 2, 500, 501))
    assert_empty changes_of(seen(setting(arm: "a"), *0..20), seen(setting(arm: "b"), *10..20))
    assert_empty changes_of
  end

  def test_a_setting_that_is_seldom_seen_does_not_come_back
    assert_empty changes_of(seen(setting, *0..60), seen(setting(threads: 3), 0, 9, 15, 24, 33))
  end

  def test_servers_are_apart
    jobs = Holdup::Setting.new(attributes: {"jobs" => "sidekiq", "revision" => "aaa"})
    assert_empty changes_of(seen(setting, *0..20), seen(jobs, *10..20))
    assert_equal [[21, "revision aaa -> bbb"]],
      changes_of(seen(setting, *0..20), seen(jobs, *10..30), seen(setting(revision: "bbb"), *21..30))
  end

  def test_two_settings_that_both_follow
    before = [seen(setting, *0..20), seen(setting(threads: 8), *0..20)]
    assert_equal [[21, "revision aaa -> bbb"]],
      changes_of(*before, seen(setting(revision: "bbb"), *21..30),
        seen(setting(revision: "bbb", threads: 8), *21..30))
  end
end
