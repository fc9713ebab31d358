# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Variables that look like settings and are none, here or in a process that measures.
      module Variables
        def self.call(host)
          theirs = host.alive.flat_map { |process| process.profile["variables.unknown"].to_s.split }
          [*host.variables, *theirs].uniq.sort.map { |name| finding(name, Configuration::Variables.nearest(name)) }
        end

        def self.finding(name, nearest)
          nearest ? CheckResult.warn(:variable_mistyped, name:,
            nearest:) : CheckResult.warn(:variable_unknown, name:)
        end
        private_class_method :finding
      end
    end
  end
end
