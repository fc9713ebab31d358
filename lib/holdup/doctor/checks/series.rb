# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether units fell out of the bounded table of names.
      module Series
        def self.call(host)
          count = host.counter(:overflowed)
          count.zero? ? [] : CheckResult.warn(:series_overflow, count:)
        end
      end
    end
  end
end
