# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/fresh"

# A twentieth of `bin/bench memory-kills`: workers of a real Puma that are killed for memory, by the kernel
# where this machine allows that. Clients rest between two deaths, when nothing is asked of them.
class MemoryKillsTest < Minitest::Test
  KILLS = 10
  FEW_KILLS = 4
  SECONDS = 1800

  # They mostly wait, so they run at the same time.
  thorough one_ruby def test_who_is_to_blame_when_workers_are_killed_for_memory
    runs = {hog: ["hog", KILLS, 1, "kernel"], none: ["none", KILLS, 1, "kernel"],
            own: ["hog", FEW_KILLS, 2, "own"]}
    found = runs.transform_values { |arguments| Thread.new { recording(*arguments, "rest") } }
    found = found.transform_values(&:value)
    found.each_value { |one| assert_out_of_memory(one) }
    found.values_at(:hog, :own).each { |one| assert_equal one["hog"], one["culprits"].first, one.to_s }
    assert_empty found[:none]["culprits"], found[:none].to_s
    refute found[:own]["by_kernel"]
  end

  private

  def recording(*arguments)
    Bench::Fresh.call("memory_kills", *arguments, options: [], seconds: SECONDS)
  end

  def assert_out_of_memory(recording)
    deaths = recording["deaths"]
    assert_equal recording["kills"], deaths.size, recording.to_s
    assert_equal ["oom"], deaths.map { |death| death["reason"] }.uniq, recording.to_s
  end
end
