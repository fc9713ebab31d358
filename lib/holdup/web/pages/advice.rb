# frozen_string_literal: true

require_relative "../../advice"
require_relative "../../analysis/sizing/objective"
require_relative "../../errors"
require_relative "../../inquiry/sized"
require_relative "../../reports/advice_findings"
require_relative "../../reports/advice_table"
require_relative "../../reports/advice_verdict"
require_relative "base"

module Holdup
  class Web
    module Pages
      # Keep, change, or can't say, with the table of settings and what else to do.
      class Advice < Base
        # A replay takes seconds of a CPU: two people who ask at once must not take twice as much from the application.
        REPLAYING = Mutex.new
        private_constant :REPLAYING

        # @return [Array<Object>]
        # @raise [Error] while it is replayed for somebody else
        def blocks = alone do
          [kinds, Blocks::Lead.new(text: verdict.sentence), Blocks::Notes.new(texts: verdict.details), *candidates, findings]
        end

        def exports = %w[json md]

        def asks = []

        # @return [String]
        def export(ending) = alone { file(ending) }

        private

        def alone
          raise Error.new("this is being replayed for somebody else", "ask again in a few seconds") unless REPLAYING.try_lock
          begin
            yield
          ensure
            REPLAYING.unlock
          end
        end

        def file(ending)
          if ending == "json"
            require_relative "../../reports/json_advice"
            return Reports::JsonAdvice.new(recommendation, found, from_s: query.from_s, to_s: query.until_s).call
          end
          require_relative "../../reports/markdown_advice"
          Reports::MarkdownAdvice.new(recommendation, found, span:, words: @words.reports, limit: query.limit, kind:).call
        end

        def kind = query.kind || :request

        def kinds = Blocks::Links.new(title: verdict.title, links: Query::KINDS.map { |kind| Blocks::Link.new(text: word(:"kind_#{kind}"), page: "advice", params: {"kind" => kind.to_s}) })

        def sized = @sized ||= Inquiry::Sized.new(store, from_s: query.from_s, to_s: query.until_s, kind:, objective: Analysis::Sizing::Objective.new((kind == :job) ? :throughput : :latency))

        def recommendation = sized.recommendation

        def found
          @found ||= Holdup::Advice.call(Holdup::Advice::Situation.new(summary: sized.summary, recommendation:, levers: Holdup::Advice::Levers.new(sized.lately)))
        end

        def verdict = @verdict ||= Reports::AdviceVerdict.new(recommendation, span:, words: @words.reports, kind:)

        def span = headline(sized.summary).span

        def candidates
          section = Reports::AdviceTable.new(recommendation, words: @words.reports, limit: query.limit).section or return []
          [Blocks::Table.of(section), Blocks::Notes.new(texts: [verdict.amdahl])]
        end

        def findings = Blocks::Findings.new(title: word(:advice_findings), items: Reports::AdviceFindings.new(found, words: @words.reports).to_a, none: word(:advice_no_findings))
      end
    end
  end
end
