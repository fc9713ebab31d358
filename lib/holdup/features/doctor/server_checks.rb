# frozen_string_literal: true

module Holdup
  module Doctor
    module ServerChecks
      # The measuring processes by server, with their levers: value, effect at run time, place.
      module Servers
        UNKNOWN = "ruby"

        def self.call(host)
          by_server = host.alive.reject(&:closed).group_by { |process| process.profile["server"].to_s }
          by_server.sort.flat_map { |server, processes| [server(server, processes), *levers(processes)] }
        end

        def self.server(name, processes)
          workers = processes.filter_map(&:worker).sort.uniq
          key = workers.empty? ? :server : :server_workers
          Checks::CheckResult.ok(key, server: name.empty? ? UNKNOWN : name, processes: processes.size,
            workers: workers.join(", "))
        end

        # The process with the latest heartbeat has the current values.
        def self.levers(processes)
          profile = processes.max_by(&:heartbeat_ns).profile
          Lever.all(profile).each_value.reject { |lever| lever.value.nil? }.map { |lever| lever(lever) }
        end

        def self.lever(lever)
          key = lever.where ? :lever_where : :lever
          key = :"#{key}_live" if lever.live
          Checks::CheckResult.ok(key, name: lever.name, value: lever.value, write: lever.write,
            how: lever.how,
            how_facts: lever.facts, where: lever.where.to_s)
        end
        private_class_method :server, :levers, :lever
      end

      # Running servers and job runners of this user that are not measured, and what to do about each.
      module UnmeasuredServers
        # Applications may take this long to boot.
        START_S = 30

        def self.call(host)
          known = host.alive.map(&:pid)
          others = host.servers.reject { |server| known.include?(server.pid) }
          measured, silent = others.partition(&:measures)
          young, old = silent.partition { |server| server.age_s < START_S }
          loaded, without = old.partition(&:loaded)
          [*elsewhere(measured, host.dir),
            *by_name(young).map { |facts| Checks::CheckResult.warn(:unmeasured_starting, **facts) },
            *by_name(loaded).map { |facts| Checks::CheckResult.warn(:unmeasured_loaded, **facts) },
            *by_name(without).map { |facts| Checks::CheckResult.warn(:unmeasured_without, **facts) }]
        end

        # Another check reports an unreadable segment in our own folder.
        def self.elsewhere(servers, dir)
          servers.group_by(&:dir).except(nil, dir).flat_map do |other, same|
            by_name(same).map { |facts| Checks::CheckResult.ok(:measured_elsewhere, dir: other, **facts) }
          end
        end

        def self.by_name(servers)
          servers.group_by(&:name).map { |server, same| {server:, pids: same.map(&:pid).sort.join(", ")} }
        end
        private_class_method :elsewhere, :by_name
      end

      # Variables that look like settings of Holdup and are not, here or in a process that measures.
      module EnvironmentVariables
        def self.call(host)
          theirs = host.alive.flat_map { |process| process.profile["variables.unknown"].to_s.split }
          [*host.variables, *theirs].uniq.sort.map { |name| result(name) }
        end

        def self.result(name)
          nearest = Configuration::Variables.nearest(name)
          return Checks::CheckResult.warn(:variable_mistyped, name:, nearest:) if nearest
          Checks::CheckResult.warn(:variable_unknown, name:)
        end
        private_class_method :result
      end

      # Methods of libraries that Holdup could not hook: nothing is measured there, or it is measured by the
      # library's notifications.
      module UnhookedMethods
        def self.call(host)
          processes = host.alive.reject(&:closed)
          %i[unhooked notified].flat_map { |key| results(key, processes) }
        end

        def self.results(key, processes)
          by_methods = processes.group_by { |process| process.profile[key.name] }
          by_methods.except(nil).map do |methods, same|
            pids = same.map(&:pid).sort.join(", ")
            Checks::CheckResult.warn(key, methods: methods.split.join(", "), pids:)
          end
        end
        private_class_method :results
      end

      # What ends processes of a server that have grown too large, served enough or lived long enough.
      module MemoryKillers
        MB = 1_000_000.0
        S_PER_MINUTE = 60

        def self.call(host)
          by_killer = host.alive.reject(&:closed).group_by { |process| killer(process) }.except(nil)
          by_killer.flat_map { |killer, processes| results(killer, processes.map(&:pid).sort.join(", ")) }
        end

        # A loaded gem may be for another server.
        def self.killer(process)
          profile = process.profile
          servers = profile["server"].to_s.split("+")
          return unless servers.include?(profile["killer.server"])
          profile.select { |key, _| key.start_with?("killer.") }
        end

        def self.results(killer, pids)
          facts = {name: killer["killer.name"].to_s, pids:}
          units, every_s = killer.values_at("killer.units", "killer.every_s")
          results = [memory(killer, facts)].compact
          results << Checks::CheckResult.ok(:killer_units, units:, **facts) if units
          results << every(every_s, facts) if every_s
          results
        end

        def self.every(seconds, facts)
          whole = (seconds % S_PER_MINUTE).zero?
          return Checks::CheckResult.ok(:killer_every_seconds, seconds:, **facts) unless whole
          Checks::CheckResult.ok(:killer_every, minutes: seconds.fdiv(S_PER_MINUTE).round, **facts)
        end

        def self.memory(killer, facts)
          limit_bytes = killer["killer.limit_bytes"] or return
          megabytes = (limit_bytes / MB).round(1)
          return Checks::CheckResult.ok(:killer_all, megabytes:, **facts) if killer["killer.of"] == "all"
          Checks::CheckResult.ok(:killer, megabytes:, **facts)
        end
        private_class_method :killer, :results, :every, :memory
      end

      # Whether the proxy says when a request arrived, and exactly enough; without it queue time is invisible.
      module QueueHeader
        FEW = 20
        MS_PER_S = 1_000

        def self.call(host)
          coarse = coarse_header(host)
          return coarse if coarse
          requests = host.segments.sum(&:requests)
          return [] if requests < FEW
          queued = host.segments.sum(&:queued)
          if queued.zero?
            return Checks::CheckResult.ok(:queue_unknown_development, requests:) if host.development?
            return Checks::CheckResult.warn(:queue_unknown, requests:)
          end
          Checks::CheckResult.ok(:queue, percent: (100.0 * queued / requests).round)
        end

        def self.coarse_header(host)
          profile = host.alive.map(&:profile).max_by { |facts| facts["queue.step_ms"].to_i } or return
          step_ms = profile["queue.step_ms"] or return
          header = profile["queue.header"]
          return Checks::CheckResult.warn(:queue_in_seconds, header:) if step_ms >= MS_PER_S
          Checks::CheckResult.warn(:queue_in_steps, header:, step_ms:)
        end
        private_class_method :coarse_header
      end

      # Round-trip time to Redis from the Sidekiq processes. A thread pays at least one round trip for each
      # job, and one for each command of a job. The limit is Sidekiq's own (lib/sidekiq/launcher.rb,
      # check_rtt): below 1 ms is ideal, below 10 ms workable.
      module RedisLatency
        WORKABLE_NS = 10_000_000

        def self.call(host)
          slowest_ns = host.alive.filter_map { |process| process.gauges[:redis_rtt_ns] }.max or return []
          facts = {rtt: slowest_ns.fdiv(MS).round(2), jobs: NS / [slowest_ns, 1].max}
          return Checks::CheckResult.ok(:redis, **facts) if slowest_ns < WORKABLE_NS
          Checks::CheckResult.warn(:redis_slow, **facts)
        end
      end
    end
  end
end
