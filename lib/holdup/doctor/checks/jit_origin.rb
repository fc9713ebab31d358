# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # Whether the JIT was switched on at the right place: in the processes that take units, after the application was
      # loaded. Where a server forks its workers from a worker, they are meant to have it from there.
      module JitOrigin
        AT_START = "boot"

        class << self
          def call(host)
            processes = host.alive.reject { |process| process.setting["refork"] }
            [at_start(processes.map(&:jit)), *servers(processes)].compact
          end

          private

          def at_start(jits)
            early = jits.select { |jit| jit.at == AT_START }
            Finding.warn(:jit_at_boot, by: early.filter_map(&:by).uniq.join(", "), processes: early.size) if early.any?
          end

          # Whatever else a worker forks has its JIT from there, and is no worker.
          def servers(processes)
            processes.select(&:worker).group_by { |process| process.profile["server"] }.values.map { |workers| master(workers.map(&:jit)) }
          end

          # A hook that runs in the master after it has forked its first worker leaves that one without.
          def master(jits)
            inherited, without = jits.select(&:inherited?), jits.select { |jit| jit.parent == "off" }
            return wrong_hook(inherited, without) if inherited.any? && without.any?
            return Finding.ok(:jit_master_off) if jits.any? { |jit| jit.on? && jit.parent == "off" }
            Finding.ok(:jit_in_master, by: inherited.first.by) if inherited.any?
          end

          def wrong_hook(inherited, without)
            Finding.warn(:jit_wrong_hook, by: inherited.first.by, with: inherited.size, without: without.size)
          end
        end
      end
    end
  end
end
