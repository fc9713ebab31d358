# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # Whether something carries the segments to the store.
      module Collector
        def self.call(host)
          return Finding.ok(:collector) if host.collector
          host.segments.empty? ? Finding.warn(:collector_idle) : Finding.fail(:collector_none)
        end
      end
    end
  end
end
