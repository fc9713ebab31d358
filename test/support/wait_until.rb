# frozen_string_literal: true

# Waits for a condition instead of sleeping for a guess.
module WaitUntil
  # However little of the machine a test gets: what never comes is a failure, and when that is told hardly
  # matters.
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
