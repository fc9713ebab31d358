# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether the proxy says when a request came in; without it, the time before a thread took it is
      # invisible.
      module QueueHeader
        FEW = 20

        def self.call(host)
          requests = host.segments.sum(&:requests)
          return [] if requests < FEW
          queued = host.segments.sum(&:queued)
          queued.zero? ? CheckResult.warn(:queue_unknown,
            requests:) : CheckResult.ok(:queue, percent: (100.0 * queued / requests).round)
        end
      end
    end
  end
end
