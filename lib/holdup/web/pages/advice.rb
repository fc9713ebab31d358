# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Keep, change, or can't say, with the table of settings and what else to do.
      class Advice < ComputedPage
        # @return [AdviceInputs]
        def self.figures(store, query, step:, **)
          form = WhatIfForm.new(query)
          change = form.asked? ? form.change : nil
          AdviceInputs.new(store, span: query.from_s..query.until_s, kind: kind(query), change:, step:)
        end

        def self.kind(query)
          query.kind || :request
        end

        # @raise [UsageError] for a question that can't be read: before anything is replayed
        def initialize(...)
          super
          @form = WhatIfForm.new(query)
          @form.change
        end

        # @param figures [AdviceInputs]
        # @return [ComputedPage::Answer]
        def answer(figures)
          advised = View::AdvicePage.new(figures.sized, figures.found, words: @words, span:, kind:,
            limit: query.limit)
          report = figures.what_if && what_if_report(figures)
          blocks = [*answers(advised, report), kinds(advised), *advised.grounds]
          ComputedPage::Answer.new(blocks:, json: json_of(figures, report), offered: exports)
        end

        def asks = []

        private

        def kind = self.class.kind(query)

        def span
          View::Moments.span(query.from_s, query.until_s)
        end

        # Who asks for something else looks for that first.
        def answers(advised, report)
          form = @form.block(@words)
          return [*advised.answer, form] unless @form.asked?
          [*(report && report.page.blocks), form, *advised.answer]
        end

        def kinds(advised)
          links = PageQuery::KINDS.map do |kind|
            View::Blocks::Link.new(text: word(:"kind_#{kind}"), page: "advice", params: {"kind" => kind.to_s})
          end
          Controls::Links.new(title: advised.title, links:)
        end

        def what_if_report(figures)
          slo = figures.recommendation.objective.slo
          words = @words
          View::WhatIf.new(figures.what_if, change: @form.change, kind:, slo:, span:, words:)
        end

        def json_of(figures, report)
          facts = {from_s: query.from_s, to_s: query.until_s, kind:, app: query["app"]}.compact
          advice = View::JsonAdvice.new(figures.recommendation, figures.found, **facts).to_h
          "#{JSON.pretty_generate({**advice, what_if: report&.to_h}.compact)}\n"
        end
      end
    end
  end
end
