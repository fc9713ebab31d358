# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether this Ruby can be measured at all.
      module Ruby
        def self.call(host)
          return CheckResult.ok(:ruby, ruby: host.ruby) unless host.unsupported
          CheckResult.fail(:unsupported, reason: host.unsupported, ruby: host.ruby)
        end
      end
    end
  end
end
