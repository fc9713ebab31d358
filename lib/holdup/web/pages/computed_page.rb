# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # A page that takes seconds. Its figures are computed once for all languages, themes and files
      # (AnswerCache); the page shows the cached result.
      class ComputedPage < View::Pages::Base
        # The content of a page in one language. `offered`: endings of files, as in Base
        PageContent = Data.define(:blocks, :json, :offered)

        # Parameters that change how an answer is shown, but not the answer.
        SHOWING = %w[lang theme computed].freeze
        MINUTE_S = 60

        # Runs in its own thread with its own store.
        # @param step [#call] takes the current activity: the key of a sentence, and its facts
        # @return [Hash{String => Answer}] by language
        def self.compute(context:, query:, step:)
          store = Queries::RequestCache.new(context.store.call, origin: query.origin)
          figures = figures(store, query, now_s: context.clock.realtime_s, step:, context:)
          View::Words::LANGUAGES.keys.to_h do |language|
            page = new(context:, store:, query:, words: View::Words.new(language))
            [language, page.answer(figures)]
          end
        ensure
          store&.close
        end

        # @return [Hash{String => String}] everything that identifies the answer, except the store's contents
        def question = query.all.except(*SHOWING)

        # @return [Array] the part of the store's state that the answer depends on. Measurements are per
        #   minute, and no answer includes data before the first or after the last of them
        def version
          health = store.health
          minutes = moments.map { |second| minute(second, health) }
          [*health.values_at(:series, :oldest_s, :newest_s), store.outcomes.size, *minutes]
        end

        # @param shown [PageContent] what the page shows from now on
        def show(shown)
          @shown = shown
          self
        end

        # @return [Array<Object>] of Blocks
        def blocks = @shown.blocks

        def offered = @shown.offered

        private

        def json = @shown.json

        # The answer itself says that there is nothing to compute from.
        def refuse_unmatched
        end

        def moments = [query.from_s, query.until_s]

        def minute(second, health)
          oldest_s, newest_s = health.values_at(:oldest_s, :newest_s)
          within = oldest_s ? second.clamp(oldest_s, newest_s + MINUTE_S) : second
          within / MINUTE_S
        end
      end
    end
  end
end
