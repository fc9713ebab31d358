# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::CapturedUnitTest < Minitest::Test
  CapturedUnit = Holdup::Report::CapturedUnit
  MS = 1_000_000
  Kept = Struct.new(:id, :pid, :from_ns, :to_ns) do
    def of?(pid, from_ns, to_ns) = self.pid == pid && self.from_ns < to_ns && self.to_ns > from_ns
  end

  def unit = @unit ||= BurstStore::Burst.new(from_s: 1, to_s: 2, count: 1).unit_samples.first

  def rule(wall_ms, stalled_ms)
    found = CapturedUnit.command(wall_ns: wall_ms * MS, stalled_ns: stalled_ms * MS,
      words: Holdup::View::Words.new)
    found.items.first.to_s
  end

  def test_the_capture_is_one_of_its_process_and_time
    other = Kept.new("a", unit.process.pid + 1, 0, 1 << 62)
    before = Kept.new("b", unit.process.pid, 0, unit.start_ns)
    own = Kept.new("c", unit.process.pid, unit.start_ns - 5, unit.end_ns + 5)

    assert_equal own, CapturedUnit.find(unit, [other, before, own])
    assert_nil CapturedUnit.find(unit, [other, before])
    assert_equal({"id" => "c"}, CapturedUnit.link(own, Holdup::View::Words.new).params)
  end

  def test_the_command_waits_for_one_like_it
    assert_equal "holdup capture --until 'wall > 1 s' --seconds 600", rule(2_400, 100)
    assert_equal "holdup capture --until 'stall > 200 ms' --seconds 600", rule(400, 350)
    assert_equal "holdup capture --until 'wall > 1 ms' --seconds 600", rule(1, 0)
  end

  def test_the_rule_is_one_that_the_command_takes
    [[2_400, 100], [400, 350], [1, 0]].each do |times|
      assert Holdup::Capture::Trigger.parse(rule(*times)[/'(.*)'/, 1]), times.inspect
    end
  end
end
