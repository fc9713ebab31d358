# frozen_string_literal: true

module Holdup
  module Advise
    # Advice as a page: the answer, then its evidence.
    class Report
      # @param kept [Queries::KeptResults::KeptResult]
      # @return [String] how old it is
      def self.age(kept, words:, now_s:)
        age, took = [now_s - kept.at_s, kept.took_s].map do |seconds|
          View::Figures.rough([seconds, 1].max * 1_000_000_000)
        end
        words.call(:advice_kept, age:, took:)
      end

      # @param answer [Holdup::Advise::AdviceAnswer]
      # @param span [String] of time, in words
      # @param limit [Integer] rows of the table of settings
      # @param again [String, nil] options that make other commands look at the same data
      # @param about [Array<String>] sentences above the page: how old the answer is
      def initialize(answer, words:, span:, limit:, again: nil, about: [])
        @advice = answer
        @words = words
        @span = span
        @limit = limit
        @again = again
        @about = about
      end

      # @return [View::Page]
      def page
        View::Page.new(title:, about: @about, blocks: answer + grounds)
      end

      def title = verdict.title

      # @return [Array<Object>] what to do
      def answer
        lead = View::Blocks::Lead.new(text: @words.sentences([*out_of_cpu, *said]))
        [lead, *backlog&.sections(limit: @limit), details, verdict.compared, charts, candidates, pools,
          deadlines, fleet, findings].compact
      end

      # @return [Array<Object>] reliability, limits, and the rules of thumb for comparison
      def grounds
        [self_test, limits, amdahl].compact
      end

      # @return [View::Section, nil] what the present setting measured beside what the replay says of it
      def self_test = AdviceTable::SelfTest.new(result, words: @words).section

      private

      def word(key, **facts) = @words.call(key, **facts)

      # @return [BacklogText, nil]
      def backlog
        @backlog ||= @advice.backlog && BacklogText.new(@advice.backlog, words: @words)
      end

      # Where jobs wait, it is of no interest at first that no rate describes them.
      def unsaid? = !backlog.nil? && verdict.refused? && !verdict.dominance?

      # @return [Array<String>]
      def said
        return [verdict.sentence] unless backlog
        unsaid? ? [backlog.sentence] : [verdict.sentence, backlog.sentence]
      end

      # The causes of a refusal are more than its reader needs at first.
      def details
        unsaid = [verdict.sentence] if unsaid?
        notes = View::Blocks::Notes.new(texts: [*unsaid, *verdict.details])
        folded = verdict.refused? && !verdict.dominance?
        folded ? View::Blocks::Fold.new(title: word(:refusal_causes), inner: [notes]) : notes
      end

      # @return [String, nil] what comes before any advice, unless a refusal says it itself
      def out_of_cpu
        return if @advice.shortage.nil? || verdict.out_of_cpu?
        View::Remarks::OutOfCpu.sentence(@advice.shortage, words: @words)
      end

      # @return [Sizing::AdviceResult, nil]
      def result = @advice.result

      def verdict
        @verdict ||= AdviceVerdict.new(result, span: @span, words: @words, kind: @advice.kind,
          load: @advice.load, shortage: @advice.shortage)
      end

      def charts
        CandidatesChart.new(result, words: @words).call
      end

      def candidates
        AdviceTable.new(result, words: @words, limit: @limit).section
      end

      def pools
        AdviceTable::Pools.new(result, words: @words).section
      end

      def deadlines
        needs = @advice.deadlines or return
        AdviceTable::Deadlines.new(needs, words: @words, limit: @limit).section
      end

      def fleet
        @advice.fleet && AdviceTable::Fleets.new(@advice.fleet, words: @words).section
      end

      def findings
        items = AdviceFindings.new(@advice.findings, words: @words).to_a
        hints = @again ? [word(:advice_again, options: View::Width.clean(@again))] : []
        View::Blocks::Findings.new(title: word(:advice_findings), items:, none: word(:advice_no_findings),
          hints:)
      end

      def limits
        known = result&.limits or return
        figures = {vcpus: known.vcpus && View::Figures.rate(known.vcpus),
                   memory: known.memory_limit_bytes && View::Figures.bytes(known.memory_limit_bytes),
                   pool: known.pool, connections: known.connections, hosts: known.hosts}
        pairs = figures.to_h { |key, value| [word(:"limit_#{key}"), value&.to_s || word(:not_known)] }
        View::Blocks::Facts.new(title: word(:limits_title), pairs:)
      end

      # The table is about the units that the advice is based on, if any.
      def amdahl
        recorded = result&.recording&.idle_share
        share = recorded || @advice.load.idle_share
        section = Holdup::Report::Sections::Times::AmdahlTable::OfShare.new(share, words: @words).call
        (section && recorded) ? section.with(notes: [verdict.amdahl]) : section
      end
    end

    # The advice on one screen: the verdict, now and the advised setting side by side, what to change and its
    # risk, and how to verify it.
    class Report::AdviceScreen < Report
      # Rules that together make the advised setting.
      SETTING_RULES = %i[thread_count process_count time_slice job_concurrency].freeze
      PARTS = %i[do risk].freeze
      # Columns of a sentence that may contain any name.
      SENTENCE = 200
      COMMANDS = %w[report doctor whatif].freeze
      OPTION = /--[a-z-]+/

      # @param given [Hash{String => Hash{String => String}}] options of the advice, as they were given and as
      #   the commands take them: of COMMANDS, "advise" itself, and "verify", which is its `--verify`
      # @param options [Hash] see Advice
      def initialize(answer, given: {}, **options)
        super(answer, **options)
        @given = given
      end

      # How many sentences, commands and rows can be left out to fit a screen.
      def spare = spared.size

      # @param kept [Integer] of those that can be left out
      # @return [View::Page]
      def page(kept = spare)
        @kept = spared.first(kept)
        notes = View::Blocks::Notes.new(texts: kept(:notes))
        # The grade is said in few words if its sentence has no room.
        texts = [*out_of_cpu, *said, *(verdict.grade if notes.texts.empty?)]
        lead = View::Blocks::Lead.new(text: @words.sentences(texts))
        blocks = [lead, notes, sides, verdict.compared, fleet, changes, others, commands]
        View::Page.new(title:, about: @about, blocks: blocks.compact)
      end

      private

      # @return [Array<Array(Symbol, Object)>] what can be left out with its block, the most important first
      def spared
        @spared ||= [*verdict.reliability.map { |text| [:notes, text] },
          *SideBySide::MORE_FIGURES.map { |figure| [:figures, figure] },
          *main_items.drop(1).map { |item| [:risks, item] },
          *trying.map { |command| [:commands, command] },
          *other_items.map { |item| [:others, View::Width.truncate(item.what, SENTENCE)] }]
      end

      def kept(block)
        @kept.filter_map { |owner, part| part if owner == block }
      end

      def sides
        return if verdict.refused?
        SideBySide.new(result, words: @words).section(kept(:figures))
      end

      # @return [Array<AdviceFindings::FindingText>] what makes the advised setting; else the first finding
      def main_items
        setting = items.select { |item| SETTING_RULES.include?(item.rule) }
        setting.any? ? setting : items.first(1)
      end

      def other_items
        items - main_items
      end

      def items
        @items ||= AdviceFindings.new(@advice.findings, words: @words).to_a
      end

      def changes
        with_risk = [*main_items.first(1), *kept(:risks)]
        shown = main_items.map do |item|
          labels = with_risk.include?(item) ? PARTS : PARTS.first(1)
          labelled = AdviceFindings::LABELS.zip(item.parts).to_h.slice(*labels).values
          parts = labelled.map { |part| part.with(text: View::Width.truncate(part.text, SENTENCE)) }
          item.with(what: View::Width.truncate(item.what, SENTENCE), parts:)
        end
        View::Blocks::Findings.new(title: word(:screen_advice_do), items: shown,
          none: word(:advice_no_findings))
      end

      def others
        notes = kept(:others)
        View::Section.new(title: word(:screen_advice_others), columns: [], rows: [], notes:) if notes.any?
      end

      def commands
        items = [*next_commands, *kept(:commands)]
        more = verdict.refused? ? :screen_refusal_more : :screen_advice_more
        View::Blocks::Commands.new(title: word(:screen_next), items:, notes: [word(more)])
      end

      # @return [Array<View::Blocks::ShellCommand>] those that can't be left out
      def next_commands
        case result&.verdict
        when :change then [saving, verifying]
        when :keep then [command(:load, "whatif --load x1.5", given("whatif")), saving]
        else looking
        end
      end

      # The report says most of units, so it comes first if units were recorded.
      def looking
        commands = [command(:doctor, "doctor", given("doctor")),
          command(:report, "report", given("report"))]
        result ? commands.reverse : commands
      end

      def saving
        command(:save, "advise --save advice.json", given("advise"))
      end

      def verifying
        command(:verify, "advise --verify advice.json", given("verify"))
      end

      # The replay of the first change, if one is advised.
      def trying
        query = @advice.findings.find { |finding| SETTING_RULES.include?(finding.rule) }&.facts&.[](:query)
        return [] unless query
        [command(:try, query, given("whatif").except(*query.scan(OPTION)))]
      end

      def given(command) = @given.fetch(command, {})

      def command(key, text, options)
        View::Blocks::ShellCommand.holdup(text, options:, purpose: word(:"screen_next_#{key}"))
      end

      # The present setting, measured and replayed, next to the advised one: a line for each figure.
      class SideBySide
        FIGURES = %i[ceiling used queued stalled p50 p95 p99 memory connections limit].freeze
        # Those that can be left out to fit a screen.
        MORE_FIGURES = %i[memory used p99 connections p50].freeze
        PERCENTILES = {p50: 0.5, p95: 0.95, p99: 0.99}.freeze

        def initialize(result, words:)
          @result = result
          @words = words
          @figures = AdviceFigures.new(words)
        end

        # @param more [Array<Symbol>] of MORE_FIGURES
        # @return [View::Section]
        def section(more = MORE_FIGURES)
          shown = FIGURES - (MORE_FIGURES - more)
          rows = shown.map { |figure| [name(figure), *sides.map { |side| value(figure, side) }] }
          known = rows.reject { |_, *values| values.all?(View::Figures::NONE) }
          View::Section.new(title: word(:sides, rate: View::Figures.rate(@result.rate)),
            columns: ["", *titles],
            rows: known)
        end

        private

        def word(key, **facts) = @words.call(:"screen_advice_#{key}", **facts)

        def sides
          measured = @result.measured if @result.measured?
          [measured, @result.current, other].compact
        end

        # What is advised, or what was better by too little.
        def other
          best = @result.best
          best if best && best.candidate != @result.now
        end

        def titles
          now = word(:now, setting: @figures.setting(@result.now))
          now = [now, word(:replayed)] if @result.measured?
          [*now, *(word(other_key, setting: @figures.setting(other.candidate)) if other)]
        end

        def other_key
          (@result.verdict == :change) ? :advised : :next_best
        end

        def name(figure)
          PERCENTILES.key?(figure) ? word(:elapsed, percentile: figure.to_s) : word(figure)
        end

        def value(figure, side)
          case figure
          when :ceiling then View::Figures.rate(side.ceiling)
          when :used then View::Figures.rounded_share([side.utilisation, 1].min)
          when :queued then View::Figures.duration(side.queued_ns)
          when :stalled then View::Figures.duration(side.stalled_ns)
          when :memory then View::Figures.bytes(side.memory_bytes)
          when :connections then View::Figures.count(side.connections)
          when :limit then side.allowed? ? View::Figures::NONE : @figures.guards(side.guards)
          else View::Figures.duration(side.responses[PERCENTILES.fetch(figure)])
          end
        end
      end
    end
  end
end
