# frozen_string_literal: true

module Holdup
  class Web
    # A page that takes seconds. Its result is computed once for all languages, themes and files
    # (Computations), or a collector keeps it in the store; the page is made of it when it is asked for.
    class ComputedPage < View::PageBase
      # The content of a page in one language. `offered`: endings of files, as in Base
      PageContent = Data.define(:blocks, :json, :offered)

      # Parameters that change how a result is shown, but not the result.
      SHOWING = %w[lang theme computed fresh].freeze

      # Runs in its own thread with its own store.
      # @param step [#call] takes the current activity: the key of a sentence, and its facts
      # @return [Object] the result
      def self.compute(context:, query:, step:)
        store = Queries::RequestCache.new(context.store.call, origin: query.origin)
        figures(store, query, now_s: context.clock.realtime_s, step:, context:)
      ensure
        store&.close
      end

      # @param name [String] of the page
      # @return [Queries::Question] everything that identifies the result, except the store's contents
      def question(name) = Queries::Question.new(command: name, arguments: query.all.except(*SHOWING))

      # @return [Array] the part of the store's state that the result depends on. Measurements are per
      #   minute, and no result includes data before the first or after the last of them
      def version
        health = store.health
        minutes = moments.map { |second| minute(second, health) }
        [*health.values_at(:series, :oldest_s, :newest_s), store.outcomes.size, *minutes]
      end

      # @return [Queries::KeptResults::KeptResult, nil] what a collector keeps in the store
      def kept = nil

      # @param result [Queries::KeptResults::KeptResult] what the page shows from now on
      # @param kept [Boolean] whether it is that of a collector
      def show(result, kept: false)
        @shown = content(result, kept:)
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

    class ComputedPage
      # How the application gets the results of the pages that take seconds.
      module ComputedAnswers
        TEXT = "text/plain; charset=utf-8"

        private

        # Gives a page its answer. A file that a page links to is made from the answer that the page shows.
        # @return [Computations::Wait, nil] nil: the page has it, or needs none
        def computed(page, name, ending)
          return unless page.is_a?(ComputedPage)
          found = for_link(page, name)
          kept = page.kept unless found || query["fresh"]
          return shown_as(page, kept, kept: true) if kept
          found ||= asked(page, name, ending)
          return found if found.is_a?(Computations::Wait)
          @computed_s = found.at_s
          shown_as(page, found)
        end

        # @return [nil]
        def shown_as(page, result, **options)
          page.show(result, **options)
          nil
        end

        def for_link(page, name)
          computed_s = query["computed"] or return
          found = context.computations.results.find(page.question(name))
          found if found && found.at_s.to_s == computed_s
        end

        # A HEAD request computes nothing.
        def asked(page, name, ending)
          asked = [page.question(name), page.version]
          return context.computations.look(*asked) if request.head?
          kind = page.class
          facts = {context:, query:}
          context.computations.ask(*asked, file: !ending.nil?) { |step| kind.compute(step:, **facts) }
        end

        # Programs get a sentence and the time to ask again.
        def later(wait)
          response.status = 503
          response.headers.merge!("content-type" => TEXT, "retry-after" => wait.again_s.to_s)
          "#{ProgressText.new(wait, page: nil, words:).sentences.join(" ")}\n"
        end

        # Text shown while a page is computed: the current activity, the elapsed and the expected time.
        class ProgressText
          # @param page [String, nil] name; nil if no page is shown
          def initialize(wait, page:, words:)
            @wait = wait
            @page = page
            @words = words
          end

          def block
            lead = word(:"wait_#{@page}")
            Pages::Controls::WaitNotice.new(lead:, step:, times:, share: @wait.share, again_s: @wait.again_s)
          end

          def sentences = [step, times].compact

          private

          def word(key, **facts) = @words.call(key, **facts)

          def step
            return word(:wait_full) if @wait.full?
            return word(:wait_ahead, ahead: View::Figures.count(@wait.ahead)) if @wait.ahead.positive?
            key, facts = @wait.step || [:step_reading, {}]
            word(key, **facts.transform_values { |number| View::Figures.count(number) })
          end

          def times
            return if @wait.full?
            return @wait.rest_s && word(:wait_rest, rest: seconds(@wait.rest_s)) if @wait.ahead.positive?
            return word(:wait_first, elapsed: seconds(@wait.elapsed_s)) unless @wait.expected_s
            word(:wait_again, elapsed: seconds(@wait.elapsed_s), expected: seconds(@wait.expected_s))
          end

          # Tenths of a second do not matter while waiting.
          def seconds(number)
            View::Figures.rough(number.to_f.ceil * NS)
          end
        end
      end
    end
  end
end
