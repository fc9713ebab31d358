# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether the JIT was switched on at the right place.
      module JitOrigin
        class << self
          def call(host)
            origins = Analysis::JitReport::ActivationOrigins.new(host.alive.map { |process| place(process) })
            [at_start(origins.at_start), *origins.masters.map { |found| master(found) }].compact
          end

          private

          def place(process)
            Analysis::JitReport::ActivationOrigins::ProcessOrigin.new(facts: process.jit,
              server: process.profile["server"], worker: !!process.worker, refork: !!process.setting["refork"])
          end

          def at_start(jits)
            if jits.any?
              CheckResult.warn(:jit_at_boot, by: jits.filter_map(&:by).uniq.join(", "), processes: jits.size)
            end
          end

          def master(found)
            if found.wrong_hook?
              return CheckResult.warn(:jit_wrong_hook, by: found.by, with: found.inherited.size,
                without: found.without.size)
            end
            return CheckResult.ok(:jit_master_off) if found.off?
            return CheckResult.warn(:jit_too_early, by: found.by) if found.too_early?
            CheckResult.ok(:jit_in_master, by: found.by) if found.on?
          end
        end
      end
    end
  end
end
