# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # What the measuring processes are, and what can be turned in each kind of them: the levers with their
      # values, whether they work while it runs, and where they are written.
      module Servers
        UNKNOWN = "ruby"

        def self.call(host)
          kinds = host.alive.reject(&:closed).group_by { |process| process.profile["server"].to_s }
          kinds.sort.flat_map { |server, processes| [name(server, processes), *levers(processes)] }
        end

        def self.name(server, processes)
          workers = processes.filter_map(&:worker).sort.uniq
          key = workers.empty? ? :server : :server_workers
          CheckResult.ok(key, server: server.empty? ? UNKNOWN : server, processes: processes.size,
            workers: workers.join(", "))
        end

        # The youngest knows best what is written now.
        def self.levers(processes)
          profile = processes.max_by(&:heartbeat_ns).profile
          names = profile.keys.filter_map { |key| key[/\Alever\.(.+)\.value\z/, 1] }
          names.map do |name|
            live, how, where = %w[live how where].map { |fact| profile["lever.#{name}.#{fact}"] }
            key = where ? :lever_where : :lever
            CheckResult.ok(live ? :"#{key}_live" : key, name:, value: profile["lever.#{name}.value"], how:,
              where: where.to_s)
          end
        end
        private_class_method :name, :levers
      end
    end
  end
end
