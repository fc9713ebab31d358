# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # The pools of one name in all processes of a server. `size`: processes; `max`, `busy`, `backlog`: what
      # there was at a moment in all of them together; `most_backlog`, `oldest_ns`: the most that was seen in
      # one.
      PoolThreads = Data.define(:server, :name, :size, :max, :busy, :backlog, :most_backlog, :oldest_ns) do
        # @param found [Array<(MeasuredProcess, ProcessPool)>]
        # @return [PoolThreads]
        def self.of(server, name, found)
          pools = found.to_h
          sums = %i[max busy backlog].to_h { |key|
            [key, ServerProcesses.at_a_moment(pools.keys) { |member| pools[member].public_send(key) }]
          }
          largest = %i[most_backlog oldest_ns].to_h { |key| [key, pools.values.filter_map(&key).max] }
          size = Machine.concurrent(pools.keys)
          new(server:, name:, size:, **sums, **largest, backlog: backlog(sums[:backlog], name, size))
        end

        # Requests wait at each process; jobs in queues that all processes look into and that each tells
        # whole.
        def self.backlog(sum, name, size)
          (name == WEB) ? sum : sum && sum / size
        end
        private_class_method :backlog

        # @return [Float, nil] of the threads
        def busy_share
          (busy && max&.positive?) ? busy / max : nil
        end
      end
    end
  end
end
