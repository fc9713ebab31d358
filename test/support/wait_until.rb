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

  # A look that computes is followed by a pause of so many times its CPU, up to a second: what is waited for
  # needs the CPU more than the one that waits.
  PAUSE_PER_LOOK = 4
  LONGEST_PAUSE_S = 1

  # @param every [Numeric] seconds between two looks, at least
  # @return [Object] the block's first truthy value
  def wait_until(timeout = PATIENCE_S, every: 0.01)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + timeout
    before_s = WaitUntil.cpu_s
    until (value = yield)
      flunk "nothing after #{timeout} s" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      pause_s = [PAUSE_PER_LOOK * (WaitUntil.cpu_s - before_s), LONGEST_PAUSE_S].min
      IO.select(nil, nil, nil, [every, pause_s].max)
      before_s = WaitUntil.cpu_s
    end
    value
  end

  # @return [Float] seconds of this thread, and of processes that it has waited for
  def self.cpu_s
    children = Process.times
    Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + children.cutime + children.cstime
  end
end
