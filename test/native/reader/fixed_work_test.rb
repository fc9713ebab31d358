# frozen_string_literal: true

require "native/native_helper"

class FixedWorkTest < NativeTest
  # Fast enough for each minute in a thread of an application, and long enough for the clock. What else runs
  # on a core makes the same work dearer for a while, so only some nine turns in a row have to be alike.
  def test_the_same_work_takes_about_the_same_cpu_time
    times = wait_until do
      Array.new(9) { Holdup::FixedWork.ns }.then { |turns| turns if turns.sort[4] < 2 * turns.min }
    end
    assert_operator times.min, :>, 10_000
    assert_operator times.min, :<, 50_000_000
  end
end
