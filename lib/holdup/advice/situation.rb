# frozen_string_literal: true

module Holdup
  module Advice
    # All that rules look at: what was measured, what the replay says of it, what can be turned.
    class Situation
      # Replays of a finding are there to rank it: fewer rounds than a recommendation's.
      ROUNDS = 10
      # What whatif compares where nobody says.
      USUAL = "p95"

      attr_reader :summary, :recommendation, :levers, :pool

      # @param summary [Analysis::Summary] of one kind of units
      # @param recommendation [Sizing::Recommendation, nil] nil where nothing was recorded singly
      # @param levers [ServerLevers]
      # @param pool [String, nil] the group of threads that was asked about
      # @param files [#call] path in the application's folder => its lines, none where it can't be read
      def initialize(summary:, recommendation: nil, levers: ServerLevers.new([]), pool: nil,
        files: ->(_path) { [] })
        @summary = summary
        @recommendation = recommendation
        @levers = levers
        @pool = pool
        @files = files
      end

      # @param path [String]
      # @return [Array<String>]
      def written(path) = @files.call(path)

      # @return [Symbol]
      def kind
        recommendation ? recommendation.recording.kind : summary.unit_kind
      end

      # @return [Boolean]
      def jobs? = kind == :job

      # @param name [String] of an attribute of the recorded setting: "jobs", "db_pool"
      # @return [Object, nil]
      def fact(name)
        recommendation&.recording&.setting&.[](name)
      end

      # @return [Integer, nil] of a process
      def threads = recommendation&.now&.threads

      # @return [Boolean] whether replays of this recording mean something
      def sized?
        !recommendation.nil? && recommendation.verdict != :unknown
      end

      # @return [Boolean]
      def change?
        sized? && recommendation.verdict == :change
      end

      # @return [Boolean] whether all is to stay as it is: then no finding says otherwise
      def keep?
        sized? && recommendation.verdict == :keep
      end

      # @param wanted [Integer] what a rule would take
      # @return [Integer, nil] processes of a host that may be named: those of the recommendation where there
      #   is one; nil: no other number than now
      def processes(wanted)
        return wanted unless sized?
        best = recommendation.best.candidate.processes if change?
        best if best && best > recommendation.now.processes
      end

      # @return [Analysis::SeriesRow] all units
      def total = summary.total

      # @return [Analysis::Machine, nil] the host with the least
      def machine = summary.processes.smallest_machine

      # What a replay says of a change, as facts of a Finding; nothing where a replay means nothing.
      # @param change [Hash] see Sizing::WhatIf::WhatIfChange
      # @return [Hash{Symbol => Object}]
      def effect(**change)
        what_if = what_if(**change) or return {}
        figures(what_if)
      end

      # The same with what was seen in the replay among the facts.
      # @param facts [Hash{Symbol => Object}]
      # @param query [String]
      # @param above [Float, nil] gain from which on it is worth a finding
      # @return [Hash{Symbol => Object}, nil] nil where it is not worth one
      def evident(facts, query:, above: nil, **change)
        what_if = what_if(**change)
        return if above && (what_if.nil? || what_if.gain <= above)
        wait_now_ns, wait_then_ns = [what_if&.before, what_if&.after].map { |prediction|
          prediction&.waits&.[](slo.percentile)
        }
        {facts: {**facts, wait_now_ns:, wait_then_ns:, percentile: slo.name, query: query(query)},
         **figures(what_if)}
      end

      # @param text [String] a `whatif` of this recording
      # @return [String] the same for these units, that percentile and that load, so that it gives the figures
      #   of the finding
      def query(text)
        load = recommendation.factor
        [text, *("--kind job" if jobs?), *("--slo #{slo.name}" unless slo.name == USUAL),
          *("--load x#{format("%g", load)}" unless load == 1)].join(" ")
      end

      # @param name [String]
      # @return [String] a glob of exactly that
      def literal(name)
        name.gsub(/[\\*?\[\]{}]/) { |char| "\\#{char}" }
      end

      # Names may come from requests, and queries are pasted into shells.
      # @param name [String]
      # @param rest [String] of the argument
      # @return [String] one argument that means exactly that name
      def quoted(name, rest = "")
        "'#{"#{literal(name)}#{rest}".gsub("'") { "'\\''" }}'"
      end

      private

      def slo = recommendation.objective.slo

      def figures(what_if)
        what_if ? {gain: what_if.gain, interval: what_if.interval, limits: broken(what_if)} : {}
      end

      # Where no setting keeps all limits, what is broken now is no better when it stays broken.
      def broken(what_if)
        return what_if.after.guards if keep?
        what_if.after.guards.reject { |hit| what_if.before.guards.any? { |now| now.name == hit.name } }
      end

      # nil where a replay means nothing: no recommendation, no such units or no others, or more load than is
      # served.
      def what_if(**change)
        return unless sized?
        found = Sizing::WhatIf.new(recommendation, Sizing::WhatIf::WhatIfChange.new(**change), rounds: ROUNDS)
        found if found.unknown.empty? && !found.nobody_left? && found.replayed?
      end
    end
  end
end
