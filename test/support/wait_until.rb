# frozen_string_literal: true

# Waits for a condition instead of sleeping for a guess.
module WaitUntil
  # @return [Object] the block's first truthy value
  def wait_until(timeout = 10, every: 0.01)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + timeout
    until (value = yield)
      flunk "nothing after #{timeout} s" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      IO.select(nil, nil, nil, every)
    end
    value
  end
end
