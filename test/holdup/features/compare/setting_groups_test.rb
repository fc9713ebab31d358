# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/setting"

class Holdup::Compare::SettingGroupsTest < Minitest::Test
  SETTINGS = [{"jit" => "none", "revision" => "a1"}, {"jit" => "yjit", "revision" => "a1"},
    {"jit" => "yjit", "revision" => "b2"}].map { |facts|
    Holdup::Setting.new(attributes: facts)
  }
  UNITS = SETTINGS.zip([10, 500, 400]).to_h.freeze

  def pick(fact, values = nil, units: UNITS)
    Holdup::Compare::SettingGroups.new(units, fact).pick(values).sides
  end

  def test_values_of_a_fact_with_all_their_settings_in_the_order_in_which_they_came
    assert_equal({"jit none" => SETTINGS.first(1), "jit yjit" => SETTINGS.last(2)}, pick("jit"))
    assert_equal ["revision b2", "revision a1"], pick("revision", %w[b2 a1]).keys
  end

  def test_of_many_settings_those_with_most_units
    assert_equal SETTINGS.last(2).zip, pick("setting").values
    assert_equal [[SETTINGS[2]], [SETTINGS[0]]],
      pick("setting", [SETTINGS[2].fingerprint[0, 6], SETTINGS[0].fingerprint]).values
  end

  def test_what_is_not_there
    assert_match(/no setting of that span has "arm"; they have jit, revision/,
      assert_raises(Holdup::Error) { pick("arm") }.message)
    assert_match(/has "revison"; did you mean revision\?/,
      assert_raises(Holdup::Error) { pick("revison") }.message)
    assert_match(/no jit .* "zjit"; there are none, yjit/,
      assert_raises(Holdup::Error) { pick("jit", %w[zjit none]) }.message)
    assert_match(/"a1" is given twice; give two of a1, b2/,
      assert_raises(Holdup::Error) { pick("revision", %w[a1 a1]) }.message)
  end

  ARMS = [%w[3 stable], %w[3 canary], %w[5 stable], %w[5 canary]].map do |threads, arm|
    Holdup::Setting.new(attributes: {"threads" => threads, "arm" => arm})
  end

  # An arm is a label: settings that differ only in it are one.
  def test_settings_that_differ_in_more_than_the_arm
    units = ARMS.zip([10, 500, 400, 20]).to_h
    assert_equal [ARMS.first(2), ARMS.last(2)], pick("setting", units:).values
    short = ARMS.map { |setting| setting.fingerprint[0, 6] }
    assert_equal ["#{short[0]}, #{short[1]}: threads=3", "#{short[2]}, #{short[3]}: threads=5"],
      pick("setting", units:).keys
    assert_equal({"arm stable" => ARMS.values_at(0, 2), "arm canary" => ARMS.values_at(1, 3)},
      pick("arm", units:))
  end

  def test_the_time_of_a_change_is_no_arm
    changing = Holdup::Setting.new(attributes: {"threads" => 5, "arm" => "changing"})
    units = {changing => 900, **ARMS.first(2).to_h { |one| [one, 10] }}
    assert_equal ["arm stable", "arm canary"], pick("arm", units:).keys
    assert_match(/no arm .* "changing"; there are stable, canary/,
      assert_raises(Holdup::Error) { pick("arm", %w[stable changing], units:) }.message)
  end

  def test_fingerprints_as_reports_have_them
    found = pick("setting", [ARMS[3].fingerprint[0, 6], ARMS[0].fingerprint],
      units: ARMS.to_h { |one| [one, 1] })
    assert_equal [ARMS.last(2), ARMS.first(2)], found.values
    assert_equal [ARMS[1]],
      Holdup::Compare::SettingGroups.new(ARMS.to_h { |one| [one, 1] },
        "setting").settings(ARMS[1].fingerprint[0, 8])
  end

  def test_refuses_settings_that_differ_only_in_the_arm
    two = ARMS.first(2).to_h { |one| [one, 1] }
    [nil, two.keys.map(&:fingerprint)].each do |values|
      error = assert_raises(Holdup::Error) { pick("setting", values, units: two) }
      assert_match(/differ in nothing but the arm; compare them with --by arm/, error.message)
    end
  end

  def test_of_how_many_they_were_picked
    groups = Holdup::Compare::SettingGroups.new(UNITS, "setting")
    assert_equal 3, groups.pick(nil).count
    refute_predicate groups.pick(nil), :asked?
    assert_predicate groups.pick(SETTINGS.first(2).map(&:fingerprint)), :asked?
  end
end
