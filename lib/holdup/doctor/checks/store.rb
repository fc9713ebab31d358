# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether reports have something to read, and whether it is up to date.
      module Store
        OLD_S = 300
        NS = 1_000_000_000

        def self.call(host)
          return problem(host.store_problem) if host.store_problem
          age = age_s(host)
          return CheckResult.warn(:store_empty, location: host.store[:location]) unless age
          if age > OLD_S && host.alive.any?
            return CheckResult.warn(:store_old, location: host.store[:location], age_ns: age * NS)
          end
          CheckResult.ok(:store, location: host.store[:location],
            megabytes: (host.store[:bytes].to_i / 1e6).ceil, schema: host.store[:schema])
        end

        def self.problem(error)
          return CheckResult.fail(:"store_#{error.kind}", **error.facts) if error.is_a?(StoreError)
          CheckResult.fail(:store_problem, message: error.message)
        end

        def self.age_s(host)
          newest = host.store[:newest_s]
          newest && host.now_ns / NS - newest
        end
        private_class_method :problem, :age_s
      end
    end
  end
end
