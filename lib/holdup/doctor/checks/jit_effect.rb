# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether a JIT that is on does anything: a TracePoint may have spoiled it, or its memory is full.
      module JitEffect
        MIB = (1 << 20).to_f

        class << self
          def call(host)
            jits = host.alive.map(&:jit)
            [ineffective(jits.select { |jit| jit.effective == false }),
              saturated(jits.select(&:saturated))].compact
          end

          private

          def ineffective(jits)
            return if jits.empty?
            suspects = jits.flat_map(&:suspected).uniq
            return CheckResult.warn(:jit_ineffective, processes: jits.size) if suspects.empty?
            CheckResult.warn(:jit_ineffective_suspects, processes: jits.size, suspects: suspects.join(", "))
          end

          def saturated(jits)
            fullest = jits.max_by { |jit| jit.code_bytes.to_i }
            return unless fullest
            CheckResult.warn(:jit_saturated, processes: jits.size, limit: mib(fullest.limit_bytes), from: fullest.limit_from.to_s, code: mib(fullest.code_bytes),
              metadata: mib(fullest.metadata_bytes), option: fullest.size_option, more: fullest.larger_mib)
          end

          def mib(bytes)
            bytes ? (bytes / MIB).round(1) : "?"
          end
        end
      end
    end
  end
end
