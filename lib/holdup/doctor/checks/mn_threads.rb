# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Under M:N threads Ruby no longer says why a thread is parked, so io and sleep can't be told apart.
      module MnThreads
        def self.call(host)
          host.facts("mn_threads").include?(true) ? CheckResult.warn(:mn_threads) : []
        end
      end
    end
  end
end
