# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # A page that takes seconds. Its figures are computed once for all languages, themes and files
      # (Answers); the page shows what is kept of them.
      class ComputedPage < View::Pages::Base
        # What a page shows, in one language. `offered`: endings of files, as in Base
        Answer = Data.define(:blocks, :json, :offered)

        # Words of the address that change how an answer is shown, but not the answer.
        SHOWING = %w[lang theme computed].freeze
        MINUTE_S = 60

        # Runs in a thread of its own, with a store of its own.
        # @param context [Context]
        # @param query [PageQuery]
        # @param step [#call] takes what is being done: the key of a sentence, and its facts
        # @return [Hash{String => Answer}] in each language
        def self.compute(context:, query:, step:)
          store = Queries::RequestCache.new(context.store.call, app: query["app"])
          figures = figures(store, query, now_s: context.clock.realtime_s, step:)
          View::Words::LANGUAGES.keys.to_h do |language|
            page = new(context:, store:, query:, words: View::Words.new(language))
            [language, page.answer(figures)]
          end
        ensure
          store&.close
        end

        # @return [Hash{String => String}] all that makes it another answer, but for what the store has
        def question = query.all.except(*SHOWING)

        # @return [Array] what of the store the answer depends on. Measurements are in minutes, and what lies
        #   before the first or after the last of them is not in any answer
        def version
          health = store.health
          minutes = moments.map { |second| minute(second, health) }
          [*health.values_at(:series, :oldest_s, :newest_s), store.outcomes.size, *minutes]
        end

        # @param shown [Answer] what the page shows from now on
        # @return [self]
        def show(shown)
          @shown = shown
          self
        end

        # @return [Array<Object>] of Blocks
        def blocks = @shown.blocks

        # @return [Array<String>]
        def offered = @shown.offered

        private

        def json = @shown.json

        # The answer says by itself that there is nothing to compute from.
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
