# frozen_string_literal: true

module Holdup
  module Advice
    # The input of all rules: what was measured, what replays predict, and which settings can be changed.
    class Situation
      # A finding's replays only rank it: fewer rounds than a recommendation's.
      ROUNDS = 10
      # Default percentile of `whatif`.
      USUAL = "p95"

      attr_reader :summary, :recommendation, :levers, :pool

      # @param summary [Analysis::Summary] of one kind of units
      # @param recommendation [Sizing::Recommendation, nil] nil where no single units were recorded
      # @param pool [String, nil] the group of threads that was asked about
      # @param files [#call] path in the application's folder => its lines, empty where it can't be read
      def initialize(summary:, recommendation: nil, levers: ServerLevers.new([]), pool: nil,
        files: ->(_path) { [] })
        @summary = summary
        @recommendation = recommendation
        @levers = levers
        @pool = pool
        @files = files
      end

      def written(path) = @files.call(path)

      def kind
        recommendation ? recommendation.recording.kind : summary.unit_kind
      end

      def jobs? = kind == :job

      # @param name [String] of an attribute of the recorded setting: "jobs", "db_pool"
      def fact(name)
        recommendation&.recording&.setting&.[](name)
      end

      # @return [Integer, nil] of a process
      def threads = recommendation&.now&.threads

      # @return [Boolean] whether replays of this recording are valid
      def sized?
        !recommendation.nil? && recommendation.verdict != :unknown
      end

      def change?
        sized? && recommendation.verdict == :change
      end

      # @return [Boolean] whether the recommendation is to keep the setting, which no finding contradicts
      def keep?
        sized? && recommendation.verdict == :keep
      end

      # @param wanted [Integer] processes of a host by a rule
      # @return [Integer, nil] processes that a finding may name: where a recommendation exists, its number;
      #   nil: not more than now
      def processes(wanted)
        return wanted unless sized?
        best = recommendation.best.candidate.processes if change?
        best if best && best > recommendation.now.processes
      end

      # @return [Analysis::SeriesRow] all units
      def total = summary.total

      # @return [Analysis::Machine, nil] the host with the least
      def machine = summary.processes.smallest_machine

      # What a replay predicts for a change, as attributes of a Finding; empty without a valid replay.
      # @param change [Hash] see Sizing::WhatIf::WhatIfChange
      def effect(**change)
        what_if = what_if(**change) or return {}
        figures(what_if)
      end

      # The same, with the waits of the replay among the facts.
      # @param above [Float, nil] gain from which on it is worth a finding
      # @return [Hash{Symbol => Object}, nil] nil where it is not worth one
      def evident(facts, query:, above: nil, **change)
        what_if = what_if(**change)
        return if above && (what_if.nil? || what_if.gain <= above)
        waits = {wait_now_ns: wait_ns(what_if&.before), wait_then_ns: wait_ns(what_if&.after)}
        {facts: {**facts, **waits, percentile: slo.name, query: query(query)}, **figures(what_if)}
      end

      # @param text [String] a `whatif` of this recording
      # @return [String] with options for the same units, percentile and load, so that it prints the figures
      #   of the finding
      def query(text)
        load = recommendation.factor
        options = [text]
        options << "--kind job" if jobs?
        options << "--slo #{slo.name}" unless slo.name == USUAL
        options << "--load x#{format("%g", load)}" unless load == 1
        options.join(" ")
      end

      # @return [String] a glob that matches exactly that name
      def literal(name)
        name.gsub(/[\\*?\[\]{}]/) { |char| "\\#{char}" }
      end

      # Names may come from requests, and users paste queries into shells.
      # @param rest [String] of the argument
      # @return [String] one shell argument that means exactly that name
      def quoted(name, rest = "")
        argument = "#{literal(name)}#{rest}"
        "'#{argument.gsub("'") { "'\\''" }}'"
      end

      private

      def slo = recommendation.objective.slo

      def wait_ns(prediction)
        prediction&.waits&.[](slo.percentile)
      end

      def figures(what_if)
        return {} unless what_if
        {gain: what_if.gain, interval: what_if.interval, limits: new_violations(what_if)}
      end

      # A limit that the present setting breaks already does not count against a change, unless the
      # recommendation is to keep the setting.
      def new_violations(what_if)
        after = what_if.after.guards
        return after if keep?
        known = what_if.before.guards.map(&:name)
        after.reject { |violation| known.include?(violation.name) }
      end

      # nil without a valid replay: no recommendation, no such units or no others, or more load than the
      # processes serve.
      def what_if(**change)
        return unless sized?
        change = Sizing::WhatIf::WhatIfChange.new(**change)
        what_if = Sizing::WhatIf.new(recommendation, change, rounds: ROUNDS)
        what_if if what_if.unknown.empty? && !what_if.nobody_left? && what_if.replayed?
      end
    end
  end
end
