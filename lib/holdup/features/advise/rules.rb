# frozen_string_literal: true

module Holdup
  module Advise
    # Advice on what was measured. A rule is a pure function: `call(situation)` takes a Situation and returns
    # a Finding or nil. A new rule goes into the module of its theme, in advise/rules/*_rules.rb; feature.rb
    # names the themes.
    module Rules
      # From this gain on, a finding is worth its change.
      WORTH = 0.05

      # @param summary [Analysis::Summary] with what was read so far
      # @return [Array<Symbol>] parts of the summary that the rules need
      def self.parts(summary)
        parts = [*summary.parts_of_machines, :calls, :transactions, :repeats, :heap_counts]
        parts << :coverage if summary.connections.any?
        parts << :locks if summary.lock_waits.notable.any?
        parts << :holding_methods if !summary.empty? && Analysis::StallVerdict.stalls?(summary.total)
        parts << :pairs if summary.read?(:calls) && summary.misleading_calls.any?
        parts
      end

      # @return [Array<Finding>] largest gain first
      def self.call(situation, rules = Features.rules)
        rules.filter_map { |rule| rule.call(situation) }.sort_by(&:rank)
      end
    end

    module Rules
      # One thing to do, or to know. Locales make sentences of the rule and the facts.
      #
      # - `facts`: for the sentences, formatted by their endings (_ns, _share, _bytes, _rate)
      # - `remedy`: :setting, :jobs (a setting of the job runner), :code, :machine, :neighbours (of it),
      #   :scaling or :measuring. It decides how to verify and to undo
      # - `gain`: improvement as a share, from replays, with `interval` (90 %); nil: not known. `measure`:
      #   what improves, :latency (queued + stalled at the percentile against the response) or a name of
      #   Sizing::Objective
      # - `weight`: share of time that it concerns, 0.0 .. 1.0: orders findings without a gain
      # - `limits`: Array of Sizing::Guards::Violation that the change would cause
      Finding = Data.define(:rule, :facts, :remedy, :change, :gain, :interval, :measure, :weight, :limits) do
        def initialize(rule:, facts: {}, remedy: :code, change: nil, gain: nil, interval: nil,
          measure: :latency, weight: 0.0, limits: [])
          super
        end

        def line
          limits.empty? ? change : nil
        end

        # Sorts findings by the largest gain, then by the largest weight. What is done to the present
        # processes comes before an alarm that adds others.
        def rank
          [-(gain || 0.0), (remedy == :scaling) ? 1 : 0, -weight, rule.to_s]
        end
      end

      # What to write, what it replaces, and what to do then.
      #
      # - `new`: "threads 3, 3"; `old`: "threads 5, 5", nil if the present text is not known
      # - `where`: a SettingPlace ("config/puma.rb:12"), or nil
      # - `how`, `facts`: what else to do, as of a Lever, or nil
      Finding::ProposedChange = Data.define(:new, :old, :where, :how, :facts) do
        def initialize(new:, old: nil, where: nil, how: nil, facts: {})
          super
        end

        # @return [Array<String>] "- old" and "+ new"; empty if the place is not known
        def diff
          (where && old && old != new) ? ["- #{old}", "+ #{new}"] : []
        end
      end
    end
  end
end
