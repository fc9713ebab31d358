# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Which processes measure right now, and what lies in the folder that is none of them.
      module Segments
        def self.call(host)
          return [] unless host.dir_state == :ok
          [measuring(host), *host.refused.map { |message| CheckResult.warn(:segment_refused, message:) }]
        end

        def self.measuring(host)
          return CheckResult.warn(:segments_none, dir: host.dir) if host.alive.empty?
          CheckResult.ok(:segments, alive: host.alive.size, units: host.counter(:units),
            ended: host.segments.size - host.alive.size)
        end
        private_class_method :measuring
      end
    end
  end
end
