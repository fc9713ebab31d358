# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whose units there are, where it is not one application alone.
      module Applications
        def self.call(host)
          found = host.applications
          found&.several? ? CheckResult.ok(:applications, count: found.shares.size, apps: found.to_s) : []
        end
      end
    end
  end
end
