# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # Keeps a queue from running empty: what is measured is what threads get done that always have work.
      class Supply
        LEAST = 1_000
        # As many as went in so many times the last interval.
        AHEAD = 6
        PAUSE_S = 0.25

        # @param queue [JobQueue]
        # @param work [Work]
        def initialize(queue, work)
          @queue = queue
          @work = work
          @left = @pushed = 0
        end

        # @return [Float] until it has to look again
        def pause_s = PAUSE_S

        # Puts more jobs in than go until the next call.
        # @return [void]
        # @raise [Holdup::Error] it had run empty
        def fill
          left = @queue.size
          raise empty if left.zero? && @pushed.positive?
          wanted = [LEAST, AHEAD * (@left - left)].max
          (wanted - left).clamp(0, nil).times { push }
          @left = [left, wanted].max
        end

        private

        def push
          kind = @work.next
          @queue.push(kind.name, *kind.arguments)
          @pushed += 1
        end

        def empty
          Error.new("the queue ran empty after #{@pushed} jobs",
            "jobs this short are done faster than one client can push them; take longer ones")
        end
      end
    end
  end
end
