# frozen_string_literal: true

module Holdup
  module JitReport
    module JitCompilationRules
      # Y11: compiled code is thrown away and compiled again, because an option asks for it.
      module CodeGc
        OPTION = "--yjit-code-gc"

        module_function

        def call(situation)
          life = situation.summary.jits.yjit.max_by { |each| each.facts.code_gcs.to_i }
          return unless life && life.facts.code_gcs.to_i > 1
          given = life.facts.options.to_s.include?(OPTION)
          facts = {times: life.facts.code_gcs, compile_ns: life.trail[:jit_compile_ns],
                   name: life.name.to_s, query: "report --table jit"}
          Advise::Rules::Finding.new(rule: :jit_code_gc, remedy: :setting, weight: 0.05, facts:,
            change: given ? JitRules::OptionText.without(life, OPTION) : nil)
        end
      end

      # Y12: on, but a TracePoint has disabled it, before or after it was checked.
      module Ineffective
        # A TracePoint disabled it later if a warm process interprets this many times the instructions per
        # unit.
        TIMES = 10
        # The last intervals must all show it, and the first ones after warm-up must not.
        INTERVALS = 3

        module_function

        def call(situation)
          on = situation.summary.jits.yjit
          useless = on.select { |life| life.facts.effective == false }
          weight = WaitBound.most_share(WaitBound.ruby_share(situation))
          return proven(useless, weight) if useless.any?
          life = on.find { |each| disabled_later?(each) }
          later(life, weight) if life
        end

        def proven(lives, weight)
          suspects = lives.flat_map { |life| life.facts.suspected }.uniq
          rule = suspects.empty? ? :jit_ineffective : :jit_ineffective_suspects
          Advise::Rules::Finding.new(rule:, weight:,
            facts: {processes: lives.size, suspects: suspects.join(", "), query: "doctor"})
        end

        def later(life, weight)
          before, after = ends(life)
          facts = {name: life.name.to_s, before: before.max, after: after.min,
                   query: "report --format json"}
          Advise::Rules::Finding.new(rule: :jit_spoiled_later, weight:, facts:)
        end

        def disabled_later?(life)
          before, after = ends(life)
          !before.nil? && after.min > TIMES * before.max && after.min > 1
        end

        # Interpreted instructions per unit: right after warm-up, and now.
        def ends(life)
          return unless life.warm_s
          warm = life.warm_up.select { |age_s, _| life.born_s + age_s > life.warm_s }
          rates = warm.map(&:last)
          [rates.first(INTERVALS), rates.last(INTERVALS)] if rates.size >= 2 * INTERVALS
        end
        private_class_method :proven, :later, :disabled_later?, :ends
      end

      # Y13: code that defines constants or methods at run time: each time Ruby discards compiled code.
      module Redefinitions
        A_MINUTE = 1.0
        AT_ALL = 10

        module_function

        def call(situation)
          life = situation.summary.jits.yjit.max_by { |each| a_minute(each) }
          return unless life && a_minute(life) >= A_MINUTE
          times = life.warm_trail.grown(:jit_redefined)
          return unless times >= AT_ALL
          Advise::Rules::Finding.new(rule: :jit_redefinitions, weight: 0.02,
            facts: {name: life.name.to_s, a_minute: a_minute(life), times:, query: "report --format json"})
        end

        def a_minute(life)
          trail = life.warm_trail
          seconds = trail ? trail.last_s - trail.first_s : 0
          seconds.positive? ? trail.grown(:jit_redefined).to_i * 60.0 / seconds : 0.0
        end
        private_class_method :a_minute
      end

      # Y14: requests or jobs that hardly run Ruby: a JIT can't shorten their waits. How much faster ZJIT
      # makes Ruby code is not known.
      module WaitBound
        LITTLE = 0.3
        # YJIT speeds up Ruby code by so much in most applications.
        SPEED_UP = 1.25

        module_function

        def call(situation)
          jits = situation.summary.jits
          return if situation.summary.empty? || jits.present.empty?
          return if jits.on.any? { |life| life.facts.zjit? }
          ruby_share = ruby_share(situation)
          return if ruby_share >= LITTLE
          facts = {ruby_share:, most_share: most_share(ruby_share), longer_share: longer_share(ruby_share),
                   speed_up: SPEED_UP, query: "report --table jit"}
          rule = on_everywhere?(jits) ? :jit_bounded_on : :jit_bounded
          Advise::Rules::Finding.new(rule:, remedy: :measuring, facts:)
        end

        # Whether all that take requests or jobs have a JIT, so that none can still get shorter by it.
        def on_everywhere?(jits)
          jits.on.any? && jits.off.none?(&:server)
        end

        # @return [Float] share of the time that units hold the GVL
        def ruby_share(situation)
          split = situation.total.split
          split.share(:cpu) + split.share(:starved)
        end

        # @return [Float] share by which units get shorter at most, stall aside
        def most_share(share)
          share * (1 - 1 / SPEED_UP)
        end

        # @param share [Float] of the time, with a JIT
        # @return [Float] share by which units would get longer at most without it
        def longer_share(share)
          share * (SPEED_UP - 1)
        end
        private_class_method :on_everywhere?, :longer_share
      end

      # Y08: the number of loaded methods and blocks is near the one at which the default threshold changes.
      module ThresholdFlips
        NEAR = (35_000..45_000)
        # The thresholds below and above; an explicit 30 counts as the default.
        LOW = 30
        HIGH = 120
        PINNED = {LOW => 31, HIGH => 120}.freeze

        module_function

        def call(situation)
          on = situation.summary.jits.yjit
          life = on.find { |each| NEAR.cover?(each.facts.live_iseqs) && !pinned?(each.facts) }
          return unless life
          jit = life.facts
          option = JitRules::OptionText
          change = option.with(life, option::THRESHOLD, PINNED.fetch(jit.threshold))
          Advise::Rules::Finding.new(rule: :jit_threshold_flips, remedy: :setting, change:,
            facts: {live: jit.live_iseqs, threshold: jit.threshold, query: "doctor --json"})
        end

        def pinned?(jit)
          return true unless PINNED.key?(jit.threshold)
          jit.options.to_s.match?(/#{JitRules::OptionText::THRESHOLD}=(?!#{LOW}\b)/o)
        end
        private_class_method :pinned?
      end

      # Y17: a custom call threshold. It hardly matters: Ruby does not compile rarely called code anyway.
      module ThresholdSet
        # The defaults, and the value that fixes the lower one.
        USUAL = [30, 31, 120].freeze

        module_function

        def call(situation)
          on = situation.summary.jits.yjit
          life = on.find { |each| each.facts.threshold && !USUAL.include?(each.facts.threshold) }
          return unless life
          option = JitRules::OptionText
          given = life.facts.options.to_s.include?(option::THRESHOLD)
          facts = {threshold: life.facts.threshold, compiled: life.facts.compiled_iseqs,
                   query: "doctor --json"}
          Advise::Rules::Finding.new(rule: :jit_threshold_set, remedy: :setting, facts:,
            change: given ? option.without(life, option::THRESHOLD) : nil)
        end
      end

      # Y22: deep statistics in every process make compiled code a third slower.
      module StatsEverywhere
        OPTION = "--yjit-stats"

        module_function

        def call(situation)
          on = situation.summary.jits.yjit
          slow = on.select { |life| deep?(life) && !life.local? }
          return if slow.size < 2 || slow.size < on.size
          Advise::Rules::Finding.new(rule: :jit_stats_everywhere, remedy: :setting, weight: 0.1,
            change: change(slow.first),
            facts: {processes: slow.size, query: "doctor"})
        end

        def deep?(life)
          life["jit_stats"] == "on" || given?(life)
        end

        def given?(life)
          life.facts.options.to_s.include?(OPTION)
        end

        def change(life)
          return JitRules::OptionText.without(life, OPTION) if given?(life)
          Advise::Rules::Finding::ProposedChange.new(new: "config.jit = {stats: :quiet, stats_share: 0.1}")
        end
        private_class_method :deep?, :given?, :change
      end
    end
  end
end
