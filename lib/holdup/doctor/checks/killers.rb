# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # What ends processes of a server when they have grown too large, served enough or lived long enough.
      module Killers
        MB = 1_000_000.0
        S_PER_MINUTE = 60

        def self.call(host)
          told = host.alive.reject(&:closed).group_by { |process| killer(process) }.except(nil)
          told.flat_map { |killer, processes| findings(killer, processes.map(&:pid).sort.join(", ")) }
        end

        # A gem that is loaded may be for another server.
        def self.killer(process)
          profile = process.profile
          names = profile["server"].to_s.split("+")
          profile.select { |key, _| key.start_with?("killer.") } if names.include?(profile["killer.server"])
        end

        def self.findings(killer, pids)
          name, of, limit, units, every_s = %w[name of limit_bytes units every_s].map { |key| killer["killer.#{key}"] }
          megabytes = (limit / MB).round(1) if limit
          facts = {name: name.to_s, pids:}
          [limit && ((of == "all") ? Finding.ok(:killer_all, megabytes:, **facts) : Finding.ok(:killer, megabytes:, **facts)),
            units && Finding.ok(:killer_units, units:, **facts),
            every_s && Finding.ok(:killer_every, minutes: (every_s / S_PER_MINUTE.to_f).round, **facts)].compact
        end
        private_class_method :killer, :findings
      end
    end
  end
end
