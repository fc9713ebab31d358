# frozen_string_literal: true

module Holdup
  module JitReport
    module JitActivationRules
      # Y01: a server or job runner without a JIT, on a Ruby that has one.
      module NotEnabled
        # Younger processes may still switch it on, or end.
        LONG_S = 60

        module_function

        def call(situation)
          lives = situation.summary.jits.off.select { |life| missing?(life) }
          return if lives.empty? || situation.summary.empty?
          ruby_share = JitCompilationRules::WaitBound.ruby_share(situation)
          most_share = JitCompilationRules::WaitBound.most_share(ruby_share)
          Advise::Rules::Finding.new(rule: :jit_not_enabled, remedy: :setting, weight: most_share,
            change: Advise::Rules::Finding::ProposedChange.new(new: "config.jit = :on"),
            facts: {processes: lives.size, ruby_share:, most_share:, query: "report --table jit"})
        end

        # Whether it could have a JIT, and the configuration does not forbid it.
        def missing?(life)
          return false unless life.facts.available && life.facts.wish != "off"
          !life.server.nil? && !life.local? && life.age_s >= LONG_S
        end
      end

      # Y02: on from Ruby's start, so that code that only runs at boot is compiled too.
      module AtBoot
        # Share of the processes' memory, as measured in applications.
        LEAST_SHARE = 0.08
        MOST_SHARE = 0.15

        module_function

        def call(situation)
          jits = situation.summary.jits
          early = jits.origins.at_start
          return if early.empty?
          life = jits.yjit.find { |each| each.facts.at_boot? }
          facts = {processes: early.size, by: early.filter_map(&:by).uniq.join(", "),
                   least_share: LEAST_SHARE, most_share: MOST_SHARE, query: "doctor"}
          Advise::Rules::Finding.new(rule: :jit_at_boot, remedy: :setting,
            change: JitRules::OptionText.late(life), facts:)
        end
      end

      # Y03: the hook that switches it on runs in the master after it has forked, so only some workers have
      # it. Or before it forks, although `config.jit` asks for it in each worker.
      module WrongHook
        module_function

        def call(situation)
          masters = situation.summary.jits.origins.masters
          late = masters.find(&:wrong_hook?)
          return finding(:jit_wrong_hook, late, weight: 0.05, without: late.without.size) if late
          early = masters.find(&:too_early?)
          finding(:jit_in_master, early, weight: 0.02) if early
        end

        def finding(rule, master, weight:, **facts)
          Advise::Rules::Finding.new(rule:, remedy: :setting, weight:,
            facts: {by: master.by, with: master.inherited.size, **facts, query: "doctor"})
        end
        private_class_method :finding
      end

      # Y21: a Ruby built without YJIT. Rails' config.yjit then does nothing, without a message.
      module Unavailable
        module_function

        def call(situation)
          present = situation.summary.jits.present
          lives = present.select { |life| life.facts.available == false && !life.facts.on? }
          return if lives.empty?
          first = lives.first
          facts = {processes: lives.size, ruby: first["ruby"].to_s, platform: first["platform"].to_s,
                   query: "doctor"}
          Advise::Rules::Finding.new(rule: :jit_unavailable, remedy: :machine, weight: 0.05, facts:)
        end
      end

      # Y16: job processes are short of memory and web processes are not: switch the JIT off only for jobs.
      module PerRole
        NEAR = 0.95

        module_function

        def call(situation)
          jobs = servers(situation, "jobs")
          web = servers(situation, "server")
          tight = jobs.find { |server| short?(situation, server) }
          return unless tight && web.any? && web.none? { |server| short?(situation, server) }
          memory_bytes = tight.median { |life| life.facts.memory_bytes }
          facts = {server: tight.name.to_s, memory_bytes:, rss_bytes: tight.median(&:rss_bytes),
                   query: "report --table jit"}
          Advise::Rules::Finding.new(rule: :jit_per_role, remedy: :setting, weight: 0.02, facts:,
            change: Advise::Rules::Finding::ProposedChange.new(new: "HOLDUP_JIT=off"))
        end

        # Jobs that run in a web server's processes share its JIT.
        def servers(situation, wanted_role)
          situation.summary.jits.servers.select do |server|
            server.yjit.any? && server.on.all? { |life| role(life) == wanted_role }
          end
        end

        def role(life)
          return "server" if life["server"]
          "jobs" if life["jobs"]
        end

        def short?(situation, server)
          on_full_machine?(situation, server) || near_killer_limit?(server)
        end

        def on_full_machine?(situation, server)
          hosts = server.on.map(&:host)
          machines = situation.summary.processes.machines
          machines.any? { |machine| hosts.include?(machine.host) && JitRules::Headroom.full?(machine) }
        end

        def near_killer_limit?(server)
          limit_bytes = server.killer&.limit_bytes
          return false unless limit_bytes && server.growth.known?
          server.watched_bytes.to_i > NEAR * limit_bytes
        end
        private_class_method :servers, :role, :short?, :on_full_machine?, :near_killer_limit?
      end

      # Y20: ZJIT. Its authors advise against it for production in Ruby 4.0, where YJIT is faster. Of the ZJIT
      # of other Rubies, and of one without YJIT beside it, nothing is known here: it is to be measured.
      module Zjit
        module_function

        def call(situation)
          lives = situation.summary.jits.on.select { |life| life.facts.zjit? }
          return if lives.empty?
          slower = lives.select { |life| slower?(life) }
          return instead(slower) if slower.any?
          Advise::Rules::Finding.new(rule: :jit_zjit_unknown, remedy: :measuring, weight: 0.02,
            facts: facts(lives))
        end

        def slower?(life) = life.ruby&.advises_against_zjit? && life.facts.available != false

        def instead(lives)
          Advise::Rules::Finding.new(rule: :jit_zjit, remedy: :setting, weight: 0.05, facts: facts(lives),
            change: Advise::Rules::Finding::ProposedChange.new(new: "config.jit = :on"))
        end

        def facts(lives)
          {processes: lives.size, ruby: lives.first["ruby"].to_s, query: "doctor"}
        end
        private_class_method :slower?, :instead, :facts
      end
    end
  end
end
