# frozen_string_literal: true

require_relative "../../instrumentation/sidekiq"

module Holdup
  module Servers
    class Sidekiq
      # How many jobs wait in the queues of a process, and for how long the oldest has waited. It looks when
      # Sidekiq's heartbeat has just spoken to Redis: on that thread, every ten seconds, never on one that
      # runs jobs, within that client's own time limits. One round trip: the length of each list (O(1)) and
      # the job at its end.
      class Backlog
        # More queues than that are left out: what is asked stays small.
        MOST = 50

        # `size`: jobs; `oldest_ns`: 0 when none waits, nil when the job does not say since when
        Waiting = Data.define(:size, :oldest_ns)

        # @param config [Sidekiq::Config]
        # @param clock [#realtime_ns]
        def initialize(config, clock:)
          @config = config
          @clock = clock
          @queues = {}.freeze
        end

        # Looks again and again, as long as the process has a heartbeat.
        # @param guard [Guard]
        # @return [self]
        def follow(guard)
          @config.on(:beat) { guard.call(:sidekiq_backlog) { look } }
          self
        end

        # @return [void]
        def look
          names = @config.capsules.each_value.flat_map(&:queues).uniq.first(MOST)
          @queues = names.zip(ask(names).each_slice(2)).to_h { |name, (size, oldest)|
            [name,
              Waiting.new(size, age(oldest))]
          }.freeze
        end

        # @param queues [Array<String>] of a capsule; one that weighs more is in it several times
        # @return [Waiting, nil] in all of them together; nil before the first look
        def of(queues)
          known = @queues.values_at(*queues.uniq).compact
          Waiting.new(known.sum(&:size), known.filter_map(&:oldest_ns).max) if known.any?
        end

        private

        def ask(names)
          @config.redis do |redis|
            redis.pipelined do |pipeline|
              names.each do |name|
                pipeline.call("LLEN", "queue:#{name}")
                pipeline.call("LINDEX", "queue:#{name}", -1)
              end
            end
          end
        end

        def age(job)
          return 0 unless job
          ready_ns = Instrumentation::Sidekiq.ready_ns(::Sidekiq.load_json(job)["enqueued_at"])
          [@clock.realtime_ns - ready_ns, 0].max if ready_ns
        end
      end
    end
  end
end
