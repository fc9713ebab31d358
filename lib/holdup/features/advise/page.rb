# frozen_string_literal: true

module Holdup
  module Advise
    # Keep, change, or unknown, with the table of settings and other remedies.
    class Page < Web::ComputedPage
      # Parameters of the question that a collector keeps the answers to.
      ASKED_OF_ALL = %w[since kind].freeze

      # What the page is made of. `answer`: Holdup::Advise::AdviceAnswer; `what_if`:
      # Sizing::WhatIf::WhatIfResult, nil if the form is empty, or if a replay is impossible, which the
      # advice explains
      AdvisedFigures = Data.define(:answer, :what_if)

      def self.figures(store, query, step:, context:, **)
        form = WhatIfForm.new(query)
        change = form.asked? ? form.change : nil
        Inputs.new(store, span: query.from_s..query.until_s, kind: kind(query), change:, step:,
          **context.to_h.slice(:slo, :prices)).call
      end

      def self.kind(query)
        query.kind || :request
      end

      # @raise [UsageError] for an invalid question, before any replay
      def initialize(...)
        super
        @form = WhatIfForm.new(query)
        @form.change
      end

      # What the collector of a fleet computes, if nothing else is asked.
      def kept
        return unless query.live? && (query.all.keys - SHOWING - ASKED_OF_ALL).empty?
        results = Queries::KeptResults::InStore.new(store, json: AnswerJson)
        found = results.find(asked, query.until_s)
        found&.with(value: AdvisedFigures.new(answer: found.value, what_if: nil))
      end

      def asks = []

      private

      def kind = self.class.kind(query)

      # @return [Queries::Question]
      def asked
        slo, prices = @context.to_h.values_at(:slo, :prices)
        AdviceQuestion.of(kind:, span: query.from_s..query.until_s, prices:,
          objective: Inputs.objective(kind, slo || Sizing::Slo.new))
      end

      # @param result [Queries::KeptResults::KeptResult] of AdvisedFigures
      # @param kept [Boolean] whether it is that of a collector
      def content(result, kept:)
        found = result.value.answer
        span = View::Figures::Moments.span(found.from_s, found.to_s)
        report = result.value.what_if && what_if_report(result.value, span)
        advised = Report.new(found, words: @words, span:, limit: query.limit)
        return unrecorded(advised, json_of(found, report)) if nothing_recorded?(found)
        lead, *answers = answers(advised, report)
        blocks = [lead, *(age(result) if kept), track_record(found), *answers, kinds(advised),
          *nothing(found), *(advised.grounds - [advised.self_test])]
        PageContent.new(blocks:, json: json_of(found, report), offered: exports)
      end

      def nothing_recorded?(found)
        found.load.count.zero? && found.findings.empty? && found.result.nil? && !@form.asked?
      end

      # The other kind may have been recorded.
      def unrecorded(advised, json)
        blocks = [advised.answer.first, kinds(advised), missing]
        PageContent.new(blocks:, json:, offered: exports)
      end

      # Under the verdict, with a link to a new one.
      def age(result)
        text = Report.age(result, words: @words, now_s: query.until_s)
        View::Blocks::SpanLink.new(text:, label: word(:advice_kept_fresh), params: {"fresh" => "1"})
      end

      # @param found [Holdup::Advise::AdviceAnswer]
      # @return [View::Blocks::Notes] how right predictions for this application have been
      def track_record(found)
        setting = found.result&.recording&.setting
        app = setting && Analysis::ApplicationShares.name(setting)
        record = Sizing::TrackRecord.new(store.outcomes, kind:, app:)
        View::Blocks::Notes.new(texts: [TrackRecordReport.new(record, kind:, words: @words).sentence])
      end

      # A reader who asks about another setting sees that answer first.
      def answers(advised, report)
        form = @form.block(@words)
        answer = [*advised.answer]
        # Beside the table on a wide screen.
        answer.insert(answer.index { |block| block.is_a?(View::Blocks::Findings) }, *advised.self_test)
        return [*answer, form] unless @form.asked?
        [*report&.blocks, form, *answer]
      end

      # What to do if there is no recording to advise from.
      def nothing(found)
        return [] if found.result&.recording&.units.to_i.positive?
        [View::Blocks::Notes.new(texts: [word(:advice_empty_next)])]
      end

      def kinds(advised)
        links = Queries::SelectionOptions::KINDS.map do |kind|
          View::Blocks::Link.new(text: word(:"kind_#{kind}"), page: "advice", params: {"kind" => kind.to_s})
        end
        Web::Pages::Controls::Links.new(title: advised.title, links:)
      end

      def what_if_report(figures, span)
        slo = figures.answer.result.objective.slo
        WhatIfReport.new(figures.what_if, change: @form.change, kind:, slo:, span:, words: @words,
          exactness: false)
      end

      def json_of(found, report)
        advice = JsonAdvice.new(found, **query.origin.limits).to_h
        "#{JSON.pretty_generate({**advice, what_if: report&.to_h}.compact)}\n"
      end

      # Inputs of the page of advice: the recording, the replays of other settings, the findings, and the
      # values of its form.
      class Inputs
        # @param slo [Sizing::Slo] of requests
        # @return [Sizing::Objective]
        def self.objective(kind, slo)
          (kind == :job) ? Sizing::Objective.new(name: :throughput) : Sizing::Objective.new(slo:)
        end

        # @param span [Range<Integer>] seconds since 1970
        # @param change [Sizing::WhatIf::WhatIfChange, nil] nil: the form is empty
        # @param step [#call] takes the current activity
        # @param slo [Sizing::Slo, nil] of requests; `prices`: CheapestFleet::FleetPrices or nil
        def initialize(store, span:, kind:, change:, step:, slo: nil, prices: nil)
          @asked = {kind:, from_s: span.begin, to_s: span.end}
          @change = change
          @step = step
          @prices = prices
          step.call([:step_reading, {}])
          objective = self.class.objective(kind, slo || Sizing::Slo.new)
          @sized = Reader.new(store, **@asked, objective:) do |summary|
            Rules.parts(summary)
          end
        end

        # @return [AdvisedFigures]
        def call
          @step.call(replaying) if recommendation
          answer = AdviceAnswer.of(situation, span: @asked, prices: @prices)
          AdvisedFigures.new(answer:, what_if: replay&.call)
        end

        private

        def recommendation = @sized.recommendation

        def situation
          levers = Rules::ServerLevers.new(@sized.lately)
          Rules::Situation.new(summary: @sized.summary, recommendation:, levers:)
        end

        def replay
          return unless @change && recommendation && recommendation.reasons.empty?
          Sizing::WhatIf.new(recommendation, @change)
        end

        def replaying
          units = recommendation.recording.units
          vcpus = recommendation.limits.vcpus
          return [:step_counting, {units:}] if vcpus.nil? || recommendation.recording.problems.any?
          [:step_replaying, {units:, settings: settings(vcpus).size}]
        end

        def settings(vcpus)
          recording = recommendation.recording
          current = recommendation.now
          threaded = recording.threaded?
          Sizing::Search::CandidateGrid.new(recording.demand, current:, vcpus:, threaded:).to_a
        end
      end

      # The form that asks what another load, machine or setting would bring, as `holdup whatif` does.
      class WhatIfForm
        # Parameter names with an example. Plain names would be those of filters.
        HINTS = {"if_load" => "x2", "if_vcpus" => "4", "if_threads" => "3", "if_processes" => "2",
                 "if_slice" => "10ms"}.freeze
        SIZE = (1..1000)

        def initialize(query)
          @query = query
        end

        def block(words)
          fields = HINTS.map do |name, hint|
            Web::Pages::Controls::Field.new(name:, label: words.call(:"field_#{name}"), value: @query[name],
              hint:)
          end
          title = words.call(:what_if_title)
          button = words.call(:what_if_button)
          Web::Pages::Controls::Form.new(title:, page: "advice", fields:, button:)
        end

        def asked?
          HINTS.keys.any? { |name| @query[name] }
        end

        # @raise [UsageError] for invalid values
        def change
          @change ||= Sizing::WhatIf::WhatIfChange.new(**given.compact)
        end

        private

        def given
          {factor: read("if_load", :factor), vcpus: read("if_vcpus", :positive),
           threads: read("if_threads", :whole, SIZE), processes: read("if_processes", :whole, SIZE),
           time_slice_ns: read("if_slice", :time_slice)}
        end

        def read(name, how, *range)
          @query[name] && Queries::OptionValues.public_send(how, name, @query[name], *range)
        end
      end
    end
  end
end
