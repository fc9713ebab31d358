# frozen_string_literal: true

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
          facts = {name: killer["killer.name"].to_s, pids:}
          units, every_s = killer.values_at("killer.units", "killer.every_s")
          [*memory(killer, facts),
            *(CheckResult.ok(:killer_units, units:, **facts) if units),
            *(CheckResult.ok(:killer_every, minutes: every_s.fdiv(S_PER_MINUTE).round, **facts) if every_s)]
        end

        def self.memory(killer, facts)
          limit = killer["killer.limit_bytes"] or return []
          megabytes = (limit / MB).round(1)
          return [CheckResult.ok(:killer_all, megabytes:, **facts)] if killer["killer.of"] == "all"
          [CheckResult.ok(:killer, megabytes:, **facts)]
        end
        private_class_method :killer, :findings, :memory
      end
    end
  end
end
