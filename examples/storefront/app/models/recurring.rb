# frozen_string_literal: true

# Work that a process repeats on a thread of its own. It starts with the first caller, so that a forked
# worker, which keeps no thread of its parent, gets one too.
class Recurring
  def initialize(name, pause:, &work)
    @name, @pause, @work = name, pause, work
    @starting = Mutex.new
  end

  def ensure_running
    return if @thread&.alive?
    @starting.synchronize { @thread = start unless @thread&.alive? }
  end

  private

  def start
    Thread.new do
      Thread.current.name = @name
      loop do
        @work.call
        sleep @pause
      end
    end
  end
end
