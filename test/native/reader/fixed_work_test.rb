# frozen_string_literal: true

require "native/native_helper"

class FixedWorkTest < NativeTest
  # Fast enough for each minute in a thread of an application, and long enough for the clock.
  def test_the_same_work_takes_about_the_same_cpu_time
    times = Array.new(9) { Holdup::FixedWork.ns }
    assert_operator times.min, :>, 10_000
    assert_operator times.min, :<, 50_000_000
    assert_operator times.sort[4], :<, 2 * times.min
  end
end
