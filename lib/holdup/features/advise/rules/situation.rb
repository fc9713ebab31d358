# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      # The input of all rules: what was measured, what replays predict, and which settings can be changed.
      class Situation
        # Replays only rank a finding: fewer rounds than for a recommendation.
        ROUNDS = 10
        # Default percentile of `whatif`.
        USUAL = "p95"

        attr_reader :summary, :recommendation, :levers, :pool

        # @param summary [Analysis::Summary] of requests or of jobs
        # @param recommendation [Sizing::Recommendation, nil] nil if no single units were recorded
        # @param pool [String, nil] the group of threads that was asked about
        # @param files [#call] path in the application's folder => its lines, empty if it can't be read
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

        # @param name [String] attribute of the recorded setting: "jobs", "db_pool"
        def fact(name)
          recommendation&.recording&.setting&.[](name)
        end

        def threads = recommendation&.now&.threads

        # Whether replays of this recording are valid.
        def sized?
          !recommendation.nil? && recommendation.verdict != :unknown
        end

        def change?
          sized? && recommendation.verdict == :change
        end

        # Whether the recommendation is to keep the setting; no finding contradicts it.
        def keep?
          sized? && recommendation.verdict == :keep
        end

        # @return [Integer, nil] processes that a finding may name when a rule wants so many per host: the
        #   recommendation's number if there is one; nil: not more than now
        def processes(wanted)
          return wanted unless sized?
          best = recommendation.best.candidate.processes if change?
          best if best && best > recommendation.now.processes
        end

        def total = summary.total

        # @param row [Analysis::SeriesRow]
        # @return [Array<String>, nil] method and line ("SalesReport#pair_counts",
        #   "app/models/sales_report.rb:30") where it holds the GVL for longest; nil where that is not known,
        #   or was not read
        def place_of(row)
          return unless summary.read?(:holding_methods, :calls)
          party = Analysis::StallPairs::Party.new(name: row.name, kind: row.kind)
          line = summary.holder_place(party)&.sampled
          [line.label, line.location].compact if line
        end

        # @return [Analysis::Machine, nil] the smallest host
        def machine
          summary.processes.smallest_machine
        end

        # @return [Analysis::CpuCeiling, nil] of the smallest host, while requests and jobs ran
        def ceiling
          summary.machines.find { |one| one.host == machine.host }&.ceiling
        end

        # What a replay predicts for a change (see Sizing::WhatIf::WhatIfChange), as attributes of a Finding;
        # empty without a valid replay.
        def effect(**change)
          what_if = what_if(**change) or return {}
          figures(what_if)
        end

        # The same, with the waits of the replay among the facts; nil unless the gain is above `above`.
        def evident(facts, query:, above: nil, **change)
          what_if = what_if(**change)
          return if above && (what_if.nil? || what_if.gain <= above)
          waits = {wait_now_ns: wait_ns(what_if&.before), wait_then_ns: wait_ns(what_if&.after)}
          {facts: {**facts, **waits, percentile: slo.name, query: query(query)}, **figures(what_if)}
        end

        # Adds options to a `whatif` of this recording, so that it prints the figures of the finding.
        def query(text)
          load = recommendation.factor
          options = [text]
          options << "--kind job" if jobs?
          options << "--slo #{slo.name}" unless slo.name == USUAL
          options << "--load x#{format("%g", load)}" unless load == 1
          options.join(" ")
        end

        # A glob that matches exactly that name.
        def literal(name)
          name.gsub(/[\\*?\[\]{}]/) { |char| "\\#{char}" }
        end

        # One shell argument for exactly that name: names may come from requests, and users paste queries.
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

        # A limit that the present setting already breaks does not count against a change, unless the
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
          what_if if what_if.unknown.empty? && !what_if.claims_all? && what_if.replayed?
        end
      end
    end
  end
end
