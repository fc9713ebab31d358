# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Counters that are zero when all is well. Each says what it means for the numbers.
      module Anomalies
        COUNTERS = %i[discarded abandoned clock_backward resumed_without_ready suspended_twice unknown_holder queued_clamped
          sanitised grow_failures guard_failures].freeze

        def self.call(host)
          found = COUNTERS.to_h { |name| [name, host.counter(name)] }.select { |_, count| count.positive? }
          return found.map { |name, count| CheckResult.warn(name, count:) } unless found.empty?
          host.segments.empty? ? [] : CheckResult.ok(:no_anomalies)
        end
      end
    end
  end
end
