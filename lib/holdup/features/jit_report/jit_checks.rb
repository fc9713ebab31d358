# frozen_string_literal: true

module Holdup
  module JitReport
    module JitChecks
      # Whether the processes run with a JIT, since when, and whether options contradict each other. With a
      # JIT, requests and jobs hold the GVL for less time, so all others stall less.
      module Activation
        def self.call(host)
          jits = host.alive.map(&:jit).select(&:kind)
          return [] if jits.empty?
          [state(jits, host), *contradictions(jits)]
        end

        def self.state(jits, host)
          off = jits.count(&:off?)
          if off.positive?
            facts = {processes: off, all: jits.size}
            return Doctor::Checks::CheckResult.ok(:jit_off_development, **facts) if host.development?
            return Doctor::Checks::CheckResult.warn(:jit_off, **facts)
          end
          Doctor::Checks::CheckResult.ok(:jit, name: names(jits, &:kind), processes: jits.size,
            since: since(jits),
            by: names(jits, &:by))
        end

        # What was requested and did not happen.
        def self.contradictions(jits)
          found = []
          missing = jits.any? { |jit| jit.wish == "on" && jit.available == false && !jit.on? }
          found << Doctor::Checks::CheckResult.warn(:jit_unavailable) if missing
          lines = jits.filter_map(&:rubyopt).uniq.map { |line|
            Doctor::Checks::CheckResult.warn(:jit_options,
              line:)
          }
          found + unwanted(jits) + instead(jits) + lines
        end

        def self.unwanted(jits)
          unwanted = jits.select { |jit| jit.wish == "off" && jit.on? }
          by_kind = unwanted.group_by { |jit| jit.zjit? ? :jit_unwanted_zjit : :jit_unwanted }
          by_kind.map { |key, same| Doctor::Checks::CheckResult.warn(key, by: names(same, &:by)) }
        end

        # Only one JIT can be on. A Ruby without YJIT has the one that it can have.
        def self.instead(jits)
          others = jits.select { |jit| jit.wish == "on" && jit.zjit? && jit.available != false }
          others.empty? ? [] : [Doctor::Checks::CheckResult.warn(:jit_zjit_instead, by: names(others, &:by))]
        end

        def self.names(jits, &)
          names = jits.filter_map(&).uniq
          names.empty? ? "?" : names.join(", ")
        end

        def self.since(jits)
          first_ns = jits.filter_map(&:since_ns).min
          first_ns ? Time.at(first_ns / NS, in: "UTC").strftime("%F %T UTC") : "?"
        end
        private_class_method :state, :contradictions, :unwanted, :instead, :names, :since
      end

      module Origin
        def self.call(host)
          processes = host.alive.map { |process| origin(process) }
          origins = Analysis::JitReport::ActivationOrigins.new(processes)
          [at_start(origins.at_start), *origins.masters.map { |found| master(found) }].compact
        end

        def self.origin(process)
          Analysis::JitReport::ActivationOrigins::ProcessOrigin.new(facts: process.jit,
            server: process.profile["server"], worker: !!process.worker, refork: !!process.setting["refork"])
        end

        def self.at_start(jits)
          return if jits.empty?
          Doctor::Checks::CheckResult.warn(:jit_at_boot, by: jits.filter_map(&:by).uniq.join(", "),
            processes: jits.size)
        end

        def self.master(found)
          return wrong_hook(found) if found.wrong_hook?
          return Doctor::Checks::CheckResult.ok(:jit_master_off) if found.off?
          return Doctor::Checks::CheckResult.warn(:jit_too_early, by: found.by) if found.too_early?
          Doctor::Checks::CheckResult.ok(:jit_in_master, by: found.by) if found.on?
        end

        def self.wrong_hook(found)
          Doctor::Checks::CheckResult.warn(:jit_wrong_hook, by: found.by, with: found.inherited.size,
            without: found.without.size)
        end
        private_class_method :origin, :at_start, :master, :wrong_hook
      end

      # Whether a JIT that is on has an effect: a TracePoint may have disabled it, or its memory is full.
      module Effect
        MIB = (1 << 20).to_f

        def self.call(host)
          jits = host.alive.map(&:jit)
          useless = jits.select { |jit| jit.effective == false }
          full = jits.select(&:saturated)
          [ineffective(useless), unknown(jits.select { |jit| jit.effective.nil? && jit.deep? }),
            unproven(jits.select { |jit| jit.zjit? && jit.effective.nil? && !jit.deep? && !jit.saturated }),
            saturated(full.select(&:yjit?)), saturated_zjit(full.select(&:zjit?))].compact
        end

        def self.ineffective(jits)
          return if jits.empty?
          suspects = jits.flat_map(&:suspected).uniq
          return Doctor::Checks::CheckResult.warn(:jit_ineffective, processes: jits.size) if suspects.empty?
          Doctor::Checks::CheckResult.warn(:jit_ineffective_suspects, processes: jits.size,
            suspects: suspects.join(", "))
        end

        def self.unknown(jits)
          if jits.any?
            Doctor::Checks::CheckResult.ok(:jit_effect_unknown, processes: jits.size,
              name: jits.first.name)
          end
        end

        # ZJIT's effect can be proven, its absence can't.
        def self.unproven(jits)
          Doctor::Checks::CheckResult.ok(:jit_zjit_effect_unknown, processes: jits.size) if jits.any?
        end

        def self.saturated(jits)
          fullest = jits.max_by { |jit| jit.code_bytes.to_i }
          return unless fullest
          Doctor::Checks::CheckResult.warn(:jit_saturated, processes: jits.size,
            limit: mib(fullest.limit_bytes), from: fullest.limit_from.to_s,
            code: mib(fullest.code_bytes), metadata: mib(fullest.metadata_bytes),
            option: fullest.size_option, more: fullest.larger_mib)
        end

        # What to do for YJIT would make a Ruby with ZJIT exit.
        def self.saturated_zjit(jits)
          fullest = jits.max_by { |jit| jit.total_bytes.to_i } or return
          Doctor::Checks::CheckResult.warn(:jit_saturated_zjit, processes: jits.size,
            limit: mib(fullest.limit_bytes),
            from: fullest.limit_from.to_s, code: mib(fullest.code_bytes),
            metadata: mib(fullest.metadata_bytes), option: fullest.size_option, more: fullest.larger_mib)
        end

        def self.mib(bytes)
          bytes ? (bytes / MIB).round(1) : "?"
        end
        private_class_method :ineffective, :unknown, :unproven, :saturated, :saturated_zjit, :mib
      end

      # Whether workers with a JIT live long enough to gain from it: compiling takes CPU first.
      module ShortLives
        def self.call(host)
          host.lives.select(&:wasted?).map do |lives|
            Doctor::Checks::CheckResult.warn(:jit_short_lives, server: lives.server.to_s, ended: lives.ended,
              units: lives.units, lived_ns: lives.seconds * NS)
          end
        end
      end
    end
  end
end
