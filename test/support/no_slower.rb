# frozen_string_literal: true

# Whether something takes no longer with Holdup than without. What else a machine does only ever adds time, so
# the shortest of a few tries counts on either side; mostly one of each is enough.
module NoSlower
  TRIES = 4

  # @param slack_s [Numeric] by how much longer it may take
  # @param with [#call] does it and gives the seconds that it took, at each call
  # @param without [#call] likewise
  def assert_no_slower(slack_s, with:, without:)
    times = {with => [], without => []}
    TRIES.times do
      times.each { |try, known| known << try.call }
      break if times[with].min < times[without].min + slack_s
    end
    assert_operator times[with].min, :<, times[without].min + slack_s
  end

  # @return [Float]
  def seconds
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  end
end
