# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # Whether this Ruby can be measured at all.
      module Ruby
        def self.call(host)
          return Finding.ok(:ruby, ruby: host.ruby) unless host.unsupported
          Finding.fail(:unsupported, reason: host.unsupported, ruby: host.ruby)
        end
      end
    end
  end
end
