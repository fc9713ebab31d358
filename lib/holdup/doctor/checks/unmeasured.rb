# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Servers and job runners of this user that run and are not measured, and what to do about each.
      module Unmeasured
        # An application takes that long to boot.
        START_S = 30

        def self.call(host)
          known = host.alive.map(&:pid)
          others = host.servers.reject { |server| known.include?(server.pid) }
          measured, silent = others.partition(&:measures)
          young, old = silent.partition { |server| server.age_s < START_S }
          loaded, without = old.partition(&:loaded)
          [*elsewhere(measured, host.dir),
            *by_name(young).map { |facts| CheckResult.warn(:unmeasured_starting, **facts) },
            *by_name(loaded).map { |facts| CheckResult.warn(:unmeasured_loaded, **facts) },
            *by_name(without).map { |facts| CheckResult.warn(:unmeasured_without, **facts) }]
        end

        # A segment in our folder that is not among the known ones can't be read, and another check says so.
        def self.elsewhere(servers, dir)
          servers.group_by(&:dir).except(nil, dir).flat_map do |other, same|
            by_name(same).map { |facts| CheckResult.ok(:measured_elsewhere, dir: other, **facts) }
          end
        end

        # One finding for those of whom the same is to be said.
        def self.by_name(servers)
          servers.group_by(&:name).map { |server, same| {server:, pids: same.map(&:pid).sort.join(", ")} }
        end
        private_class_method :elsewhere, :by_name
      end
    end
  end
end
