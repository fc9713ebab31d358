# frozen_string_literal: true

# Waits for a condition instead of sleeping for a guess.
module WaitUntil
  # Long enough for a test that gets little of the machine; it only delays the report of a failure.
  PATIENCE_S = 90

  # @return [Object] the block's first truthy value
  def wait_until(timeout = PATIENCE_S, every: 0.01)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + timeout
    until (value = yield)
      flunk "nothing after #{timeout} s" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      IO.select(nil, nil, nil, every)
    end
    value
  end
end
