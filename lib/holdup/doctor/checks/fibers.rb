# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Where requests are fibers, a fiber that could go on but has to wait for the others of its thread is
      # idle to the probe like one that waits for a database. Nothing is wrong; but whoever reads io must
      # know.
      module Fibers
        def self.call(host)
          host.facts("fibers").include?(true) ? CheckResult.ok(:fibers) : []
        end
      end
    end
  end
end
