# frozen_string_literal: true

require "test_helper"
require "holdup/inquiry/groups"
require "holdup/setting"

class Holdup::Inquiry::GroupsTest < Minitest::Test
  SETTINGS = [{"jit" => "none", "revision" => "a1"}, {"jit" => "yjit", "revision" => "a1"}, {"jit" => "yjit", "revision" => "b2"}].map { |facts| Holdup::Setting.new(attributes: facts) }
  UNITS = SETTINGS.zip([10, 500, 400]).to_h.freeze

  def pick(fact, values = nil) = Holdup::Inquiry::Groups.new(UNITS, fact).pick(values)

  def test_values_of_a_fact_with_all_their_settings_in_the_order_in_which_they_came
    assert_equal({"jit none" => SETTINGS.first(1), "jit yjit" => SETTINGS.last(2)}, pick("jit"))
    assert_equal ["revision b2", "revision a1"], pick("revision", %w[b2 a1]).keys
  end

  def test_of_many_settings_those_with_most_units
    assert_equal SETTINGS.last(2).zip, pick("setting").values
    assert_equal [[SETTINGS[2]], [SETTINGS[0]]], pick("setting", [SETTINGS[2].fingerprint[0, 6], SETTINGS[0].fingerprint]).values
  end

  def test_what_is_not_there
    assert_match(/no setting of that span says arm; they have jit, revision/, assert_raises(Holdup::Error) { pick("arm") }.message)
    assert_match(/says revison; did you mean revision\?/, assert_raises(Holdup::Error) { pick("revison") }.message)
    assert_match(/no jit .* "zjit"; there are none, yjit/, assert_raises(Holdup::Error) { pick("jit", %w[zjit none]) }.message)
    assert_match(/"a1" twice is no comparison; give two of a1, b2/, assert_raises(Holdup::Error) { pick("revision", %w[a1 a1]) }.message)
  end
end
