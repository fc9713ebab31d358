# frozen_string_literal: true

# Waits for a condition instead of sleeping for a guess.
module WaitUntil
  # Long enough for a test that gets little of the machine; it only delays the report of a failure.
  PATIENCE_S = 180

  # Code for a script in a Ruby of its own: there the end of a deadline ends the script with its message. It
  # comes before FreshRuby, which has the same patience, kills the script.
  SCRIPT = <<~RUBY
    require #{__FILE__.dump}
    include WaitUntil
    def flunk(message) = abort(message)
    def wait_until(timeout = #{PATIENCE_S * 2 / 3}, **) = super
  RUBY

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
