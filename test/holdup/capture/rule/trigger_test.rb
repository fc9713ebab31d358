# frozen_string_literal: true

require "test_helper"
require "holdup/capture/rule"

class Holdup::Capture::TriggerTest < Minitest::Test
  Rule = Holdup::Capture::Trigger

  def test_reads_what_people_write
    assert_equal({stall: 50_000_000}, Rule.parse("stall > 50 ms").to_h)
    assert_equal({wall: 1_500_000_000}, Rule.parse("wall>1.5s").to_h)
    assert_equal({stall: 3_000}, Rule.parse("stall > 3 us").to_h)
  end

  def test_nothing_else
    ["", "stall", "stall > 50", "idle > 5 ms", "wall > 0 ms", "wall < 5 ms", "wall > 5 ms or so",
      "wall > 999999999 s"].each do |text|
      assert_nil Rule.parse(text), text
    end
  end

  def test_is_one_number
    rule = Rule.parse("wall > 2 s")
    assert_equal rule, Rule.decode(rule.encode)
    assert_nil Rule.decode(0)
    assert_nil Rule.decode(9 << 48)
  end
end
